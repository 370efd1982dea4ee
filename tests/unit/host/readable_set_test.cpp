// ReadableSet: tells of what can be read, and no more once it is told to forget.
#include "host/readable_set.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "process/pipe.hpp"

namespace muster::host {
namespace {

class Readable : public ::testing::Test {
 protected:
  process::Pipe pipe() {
    auto made = process::make_pipe();
    EXPECT_TRUE(made);
    return std::move(*made);
  }
  void put(const process::Pipe& pipe) { ASSERT_EQ(::write(pipe.write.get(), "x", 1), 1); }
  void take(const process::Pipe& pipe) {
    char byte = 0;
    ASSERT_EQ(::read(pipe.read.get(), &byte, 1), 1);
  }
  void turn() {
    loop.restart();
    loop.poll();
  }

  asio::io_context loop;
  ReadableSet set{loop};
  int calls = 0;
};

TEST_F(Readable, TellsAsLongAsThereIsSomething) {
  const process::Pipe one = pipe();
  const auto ticket = set.watch(one.read.get(), [&] {
    ++calls;
    if (calls == 2) take(one);
  });
  turn();
  EXPECT_EQ(calls, 0);
  put(one);
  turn();
  EXPECT_EQ(calls, 2);
  set.forget(ticket);
  put(one);
  turn();
  EXPECT_EQ(calls, 2);
}

TEST_F(Readable, OneThatEndsAnotherInTheSameTurnIsObeyed) {
  process::Pipe one = pipe(), other = pipe();
  put(one);
  put(other);
  ReadableSet::Ticket first = 0, second = 0;
  const auto end_both = [&] {
    ++calls;
    set.forget_closed(first);
    set.forget_closed(second);
    one.read.reset();
    other.read.reset();
  };
  first = set.watch(one.read.get(), end_both);
  second = set.watch(other.read.get(), end_both);
  turn();
  EXPECT_EQ(calls, 1);
}

TEST_F(Readable, WhatIsForgottenAtOnceIsNotTold) {
  const process::Pipe one = pipe();
  put(one);
  set.forget(set.watch(one.read.get(), [&] { calls += 100; }));
  const auto ticket = set.watch(one.read.get(), [&] {
    ++calls;
    take(one);
  });
  turn();
  EXPECT_EQ(calls, 1);
  put(one);
  turn();
  EXPECT_EQ(calls, 2);
  set.forget(ticket);
}

TEST_F(Readable, OnesThatAreNewAreToldWithoutOthers) {
  const process::Pipe one = pipe(), other = pipe();
  int others = 0;
  const auto first = set.watch(one.read.get(), [&] { ++calls; });
  const auto second = set.watch(other.read.get(), [&] {
    ++others;
    take(other);
  });
  put(other);
  turn();
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(others, 1);
  put(other);
  turn();
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(others, 2);
  set.forget(first);
  set.forget(second);
}

TEST_F(Readable, ANumberThatComesAgainIsANewDescriptor) {
  process::Pipe old = pipe();
  put(old);
  int late = 0;
  ReadableSet::Ticket next = 0;
  const int number = old.read.get();
  ReadableSet::Ticket first = 0;
  process::Pipe fresh;
  first = set.watch(number, [&] {
    ++calls;
    set.forget_closed(first);
    old = {};
    fresh = pipe();
    next = set.watch(fresh.read.get(), [&] { ++late; });
  });
  turn();
  EXPECT_EQ(fresh.read.get(), number);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(late, 0);
  set.forget(next);
}

}  // namespace
}  // namespace muster::host
