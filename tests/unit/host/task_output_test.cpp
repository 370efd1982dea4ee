// TaskOutput: reads no further than its credit, loses nothing, and ends when it must.
#include "host/task_output.hpp"

#include <asio/io_context.hpp>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "process/pipe.hpp"

namespace muster::host {
namespace {

class Output : public ::testing::Test {
 protected:
  void open(std::uint32_t credit) {
    auto pipe = process::make_pipe();
    ASSERT_TRUE(pipe);
    end = std::move(pipe->write);
    output = std::make_shared<TaskOutput>(
        readable, std::move(pipe->read), credit, buffer,
        [this](std::string_view bytes) { seen += bytes; }, [this] { ended = true; });
    output->start();
  }
  void put(const std::string& bytes) {
    ASSERT_EQ(::write(end.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void turn() {
    loop.restart();
    loop.poll();
  }
  void TearDown() override {
    if (output) output->close();
  }

  asio::io_context loop;
  ReadableSet readable{loop};
  std::vector<char> buffer = std::vector<char>(1024);
  process::UniqueFd end;
  std::shared_ptr<TaskOutput> output;
  std::string seen;
  bool ended = false;
};

TEST_F(Output, StopsAtItsCreditAndGoesOnWithMore) {
  open(3);
  put("abcdef");
  turn();
  EXPECT_EQ(seen, "abc");
  turn();
  EXPECT_EQ(seen, "abc");
  output->add_credit(2);
  turn();
  EXPECT_EQ(seen, "abcde");
  output->add_credit(100);
  turn();
  EXPECT_EQ(seen, "abcdef");
  EXPECT_FALSE(ended);
}

TEST_F(Output, EndsAfterTheLastByte) {
  open(100);
  put("last");
  end.reset();
  turn();
  turn();
  EXPECT_EQ(seen, "last");
  EXPECT_TRUE(ended);
}

TEST_F(Output, DrainedTakesAnEmptyPipeForItsEnd) {
  open(100);
  put("rest");
  output->drain();
  EXPECT_EQ(seen, "rest");
  EXPECT_TRUE(ended);
}

TEST_F(Output, DrainedStillWaitsForCredit) {
  open(2);
  put("rest");
  output->drain();
  EXPECT_EQ(seen, "re");
  EXPECT_FALSE(ended);
  output->add_credit(100);
  EXPECT_EQ(seen, "rest");
  EXPECT_TRUE(ended);
}

TEST_F(Output, DiscardedNeedsNoCreditAndShowsNothing) {
  open(0);
  put("nobody reads this");
  output->discard();
  turn();
  end.reset();
  turn();
  turn();
  EXPECT_EQ(seen, "");
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace muster::host
