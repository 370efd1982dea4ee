// The tasks of a step meet over loopback, each in a thread of its own.
#include "head/step_tasks.hpp"

#include <asio/read_until.hpp>
#include <cerrno>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link/step_tasks.hpp"
#include "unit/files_limit.hpp"

namespace {

// Called before the next accept(); the errno with which that fails, or 0.
thread_local std::function<int()> before_accept;

}  // namespace

// In place of the C library's.
extern "C" int accept(int socket, sockaddr* address, socklen_t* size) {
  const int error = before_accept ? before_accept() : 0;
  if (error == 0) return ::accept4(socket, address, size, 0);
  errno = error;
  return -1;
}

namespace muster::head {
namespace {

using asio::ip::tcp;

// A step that no other test has.
model::StepPlace task(const std::string& name, std::uint32_t number, std::uint32_t tasks = 3) {
  return {std::to_string(::getpid()) + "." + name, "127.0.0.1", tasks, number, false};
}

std::future<int> follower(const model::StepPlace& place) {
  return std::async(std::launch::async, [place] {
    return follow_first_task(place, {.patience = std::chrono::seconds(20), .say = [](auto&) {}})
        .value_or(-1);
  });
}

tcp::acceptor stranger_at(asio::io_context& loop, std::uint16_t port) {
  return {loop, {asio::ip::make_address("127.0.0.1"), port}, false};
}

TEST(StepTasks, EndWithTheCodeOfTheFirst) {
  auto others = OtherTasks::await(task("1", 0));
  ASSERT_TRUE(others);
  auto one = follower(task("1", 1));
  auto two = follower(task("1", 2));
  others->end(7);
  EXPECT_EQ(one.get(), 7);
  EXPECT_EQ(two.get(), 7);
}

TEST(StepTasks, MayComeBeforeTheFirst) {
  auto one = follower(task("2", 1, 2));
  auto others = OtherTasks::await(task("2", 0, 2));
  ASSERT_TRUE(others);
  others->end(0);
  EXPECT_EQ(one.get(), 0);
}

TEST(StepTasks, FindEachOtherBesideAStrangerThatIsSilent) {
  asio::io_context loop;
  const auto stranger = stranger_at(loop, link::step_ports(task("3", 0).step)[0]);
  auto others = OtherTasks::await(task("3", 0, 2));
  ASSERT_TRUE(others);
  auto one = follower(task("3", 1, 2));
  others->end(3);
  EXPECT_EQ(one.get(), 3);
}

TEST(StepTasks, AreNotMistakenForAStranger) {
  asio::io_context loop;
  auto others = OtherTasks::await(task("4", 0, 2));
  ASSERT_TRUE(others);
  tcp::socket stranger(loop);
  const auto port = link::step_ports(task("4", 0).step)[0];
  stranger.connect({asio::ip::make_address("127.0.0.1"), port});
  stranger.send(asio::buffer(std::string("GET / HTTP/1.1\n")));
  auto one = follower(task("4", 1, 2));
  others->end(5);
  EXPECT_EQ(one.get(), 5);
}

// More than this process may have open, each of which says nothing and came earlier.
TEST(StepTasks, AreToldBesideACrowdThatIsSilent) {
  asio::io_context loop;
  auto others = OtherTasks::await(task("9", 0, 2));
  ASSERT_TRUE(others);
  const tcp::endpoint at(asio::ip::make_address("127.0.0.1"),
                         link::step_ports(task("9", 0).step)[0]);
  std::vector<tcp::socket> crowd;
  crowd.reserve(150);
  for (int i = 0; i < 150; ++i) {
    crowd.emplace_back(loop);
    crowd.back().connect(at);
  }
  tcp::socket one(loop);
  one.connect(at);
  one.send(asio::buffer(link::step_greeting(task("9", 1, 2), ::getpid())));
  constexpr int kLeft = 20;
  const unit::FilesLimit limit(static_cast<rlim_t>(one.native_handle() + 1 + kLeft));
  ASSERT_TRUE(limit.is_set());
  others->end(7);
  std::string said;
  std::error_code error;
  asio::read_until(one, asio::dynamic_buffer(said), '\n', error);
  EXPECT_EQ(said, link::step_end(task("9", 0, 2), 7)) << error.message();
}

// It fails for another one, when the task's greeting has come and has not been read.
TEST(StepTasks, AreToldThoughAnAcceptFails) {
  asio::io_context loop;
  auto others = OtherTasks::await(task("10", 0, 2));
  ASSERT_TRUE(others);
  const tcp::endpoint at(asio::ip::make_address("127.0.0.1"),
                         link::step_ports(task("10", 0).step)[0]);
  tcp::socket one(loop);
  tcp::socket stranger(loop);
  one.connect(at);
  stranger.connect(at);
  int calls = 0;
  before_accept = [&] {
    if (++calls != 2) return 0;
    one.send(asio::buffer(link::step_greeting(task("10", 1, 2), ::getpid())));
    return EHOSTUNREACH;
  };
  others->end(7);
  before_accept = nullptr;
  EXPECT_GE(calls, 2);
  std::string said;
  std::error_code error;
  asio::read_until(one, asio::dynamic_buffer(said), '\n', error);
  EXPECT_EQ(said, link::step_end(task("10", 0, 2), 7)) << error.message();
}

// It belongs to what comes after.
TEST(StepTasks, AreToldOnce) {
  asio::io_context loop;
  auto others = OtherTasks::await(task("5", 0));
  ASSERT_TRUE(others);
  const auto port = link::step_ports(task("5", 0).step)[0];
  std::vector<tcp::socket> twice;
  std::int32_t pid = 100;
  for (int i = 0; i < 2; ++i) {
    twice.emplace_back(loop);
    twice.back().connect({asio::ip::make_address("127.0.0.1"), port});
    twice.back().send(asio::buffer(link::step_greeting(task("5", 1), pid++)));
  }
  auto two = follower(task("5", 2));
  others->end(9);
  EXPECT_EQ(two.get(), 9);
  std::size_t told = 0;
  for (tcp::socket& one : twice) {
    std::string said;
    std::error_code error;
    told += asio::read_until(one, asio::dynamic_buffer(said), '\n', error) > 0 ? 1 : 0;
  }
  EXPECT_EQ(told, 1u);
}

// One that has lost its connection, and made another.
TEST(StepTasks, AreToldAtEachConnectionOfTheSameProcess) {
  asio::io_context loop;
  auto others = OtherTasks::await(task("8", 0));
  ASSERT_TRUE(others);
  const auto port = link::step_ports(task("8", 0).step)[0];
  for (int i = 0; i < 2; ++i) {
    tcp::socket lost(loop);
    lost.connect({asio::ip::make_address("127.0.0.1"), port});
    lost.send(asio::buffer(link::step_greeting(task("8", 1), ::getpid())));
  }
  auto one = follower(task("8", 1));
  auto two = follower(task("8", 2));
  others->end(4);
  EXPECT_EQ(one.get(), 4);
  EXPECT_EQ(two.get(), 4);
}

TEST(StepTasks, MissTheFirstWhereNobodyListens) {
  const auto code = follow_first_task(
      task("7", 1), {.patience = std::chrono::milliseconds(20), .say = [](auto&) {}});
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().what,
            "task 0 of the step, on 127.0.0.1, is not there: Connection refused");
}

TEST(StepTasks, AreRefusedWhereAllPortsAreTaken) {
  asio::io_context loop;
  std::vector<tcp::acceptor> strangers;
  for (const std::uint16_t port : link::step_ports(task("6", 0).step)) {
    strangers.push_back(stranger_at(loop, port));
  }
  const auto others = OtherTasks::await(task("6", 0));
  ASSERT_FALSE(others);
  EXPECT_EQ(others.error().fault, base::Fault::cannot_start);
}

}  // namespace
}  // namespace muster::head
