// Child: what is killed with it, and what is not.
#include "process/child.hpp"

#include <algorithm>
#include <array>
#include <asio/io_context.hpp>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::process {
namespace {

// A process that it leaves in its group, and that answers on its stdout to a line from its stdin.
constexpr const char* kLeavesOne = "exec 3<&0; { read word <&3; echo $word; } & exit 0";

class ChildOf : public testing::Test {
 protected:
  void start() {
    auto child = Child::start(loop_, {"/bin/sh", "-c", kLeavesOne}, {"PATH=/usr/bin:/bin"},
                              [this](ChildEnd) { is_over_ = true; });
    ASSERT_TRUE(child);
    child_ = std::move(*child);
    pipes_ = std::move(child_->pipes());
  }
  void reap() { EXPECT_EQ(::waitpid(child_->pid(), nullptr, 0), child_->pid()); }
  // Empty: what it has left has been killed; after a SIGKILL it cannot answer any more.
  std::string answer() {
    EXPECT_EQ(::write(pipes_.in.get(), "here\n", 5), 5);
    pipes_.in.reset();
    std::array<char, 16> bytes{};
    const ssize_t size = ::read(pipes_.out.get(), bytes.data(), bytes.size());
    return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }

  asio::io_context loop_;
  std::unique_ptr<Child> child_;
  ChildPipes pipes_;
  bool is_over_ = false;
};

TEST_F(ChildOf, WhatItLeavesInItsGroupIsKilledWithIt) {
  start();
  loop_.run();
  EXPECT_TRUE(is_over_);
  std::array<char, 16> bytes{};
  EXPECT_EQ(::read(pipes_.out.get(), bytes.data(), bytes.size()), 0);
}

// Its number is not its own any more, nor is that of its group.
TEST_F(ChildOf, OneThatSomebodyElseHasReapedIsNotKilledWhenItEnds) {
  start();
  reap();
  loop_.run();
  EXPECT_TRUE(is_over_);
  EXPECT_EQ(answer(), "here\n");
}

TEST_F(ChildOf, NorWhenItGoes) {
  start();
  reap();
  child_.reset();
  EXPECT_FALSE(is_over_);
  EXPECT_EQ(answer(), "here\n");
}

}  // namespace
}  // namespace muster::process
