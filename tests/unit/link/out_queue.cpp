// The out queue alone: its bound, its last words, its waiters.
#include "link/out_queue.hpp"

#include "unit/link/pair.hpp"

namespace muster::link {
namespace {

class OutQueueTest : public LinkTest {
 protected:
  std::shared_ptr<OutQueue> make(std::size_t limit) {
    return std::make_shared<OutQueue>(loop, std::move(from_agent.write), limit);
  }
  // What lies in the pipe.
  std::string read_now() {
    std::string all;
    char bytes[4096];
    ::fcntl(from_agent.read.get(), F_SETFL, O_NONBLOCK);
    for (ssize_t got = 0; (got = ::read(from_agent.read.get(), bytes, sizeof bytes)) > 0;)
      all.append(bytes, static_cast<std::size_t>(got));
    return all;
  }
};

TEST_F(OutQueueTest, PassingTheLimitIsTold) {
  const auto queue = make(100);
  queue->tail().append(100, 'x');
  EXPECT_TRUE(queue->flush());
  queue->tail().append(1, 'x');
  EXPECT_FALSE(queue->flush());
}

TEST_F(OutQueueTest, OnlyWhatWaitsCounts) {
  const auto queue = make(100);
  for (int i = 0; i < 50; ++i) {
    queue->tail().append(90, 'x');
    EXPECT_TRUE(queue->flush());
    run_ready();
    EXPECT_EQ(queue->waiting(), 0u);
  }
  EXPECT_EQ(read_now().size(), 50u * 90u);
}

TEST_F(OutQueueTest, SharedBytesKeepTheirPlace) {
  const auto queue = make(100);
  const auto shared = std::make_shared<const std::string>("[of many]");
  queue->tail().append("before ");
  queue->add(shared);
  queue->add(shared);
  queue->tail().append(" after");
  queue->add(shared);
  EXPECT_EQ(queue->waiting(), 40u);
  EXPECT_TRUE(queue->flush());
  run_ready();
  EXPECT_EQ(read_now(), "before [of many][of many] after[of many]");
  EXPECT_EQ(queue->waiting(), 0u);
  EXPECT_EQ(shared.use_count(), 1) << "what has been written is given back";
}

TEST_F(OutQueueTest, SharedBytesCountAndAreDropped) {
  const auto queue = make(100);
  const auto shared = std::make_shared<const std::string>(101, 'x');
  queue->add(shared);
  EXPECT_FALSE(queue->flush());
  queue->close();
  EXPECT_EQ(queue->waiting(), 0u);
  EXPECT_EQ(shared.use_count(), 1);
}

TEST_F(OutQueueTest, CloseWritesWhatFits) {
  const auto queue = make(1000);
  queue->tail().append("last words");
  EXPECT_TRUE(queue->flush());
  queue->close();
  EXPECT_EQ(read_now(), "last words");
  run_ready();
}

TEST_F(OutQueueTest, ABlockedQueueClosesWithoutWaiting) {
  const auto queue = make(10u << 20);
  queue->tail().append(5u << 20, 'x');
  EXPECT_TRUE(queue->flush());
  run_ready();
  EXPECT_GT(queue->waiting(), 0u);
  queue->drain([] { FAIL() << "nobody is called after close"; });
  queue->close();
  EXPECT_EQ(queue->waiting(), 0u);
  run_ready();
}

TEST_F(OutQueueTest, WaitersAreCalledInOrderAsTheirBytesLeave) {
  const auto queue = make(10u << 20);
  std::string order;
  queue->drain([&] { order += '0'; });
  queue->tail().append("a");
  EXPECT_TRUE(queue->flush());
  queue->drain([&] { order += '1'; });
  queue->tail().append(1u << 20, 'b');
  EXPECT_TRUE(queue->flush());
  queue->drain([&] { order += '2'; });
  run_ready();
  EXPECT_EQ(order, "01");
  std::size_t read = 0;
  while (order != "012") {
    read += read_now().size();
    run_ready();
  }
  EXPECT_EQ(read + read_now().size(), 1u + (1u << 20));
}

}  // namespace
}  // namespace muster::link
