// The messages between guard and owner survive the way through bytes, and broken ones are noticed.
#include "process/guard_orders.hpp"

#include <cstring>
#include <gtest/gtest.h>

namespace muster::process {
namespace {

Message message_of(const std::string& bytes) {
  Message message;
  std::memcpy(&message.header, bytes.data(), sizeof message.header);
  message.body = std::string_view(bytes).substr(sizeof message.header);
  return message;
}

std::vector<std::string> strings(const std::vector<char*>& from) {
  EXPECT_EQ(from.back(), nullptr);
  return {from.begin(), from.end() - 1};
}

SpawnOrder example() {
  SpawnOrder order;
  order.id = 7;
  order.program = "/bin/echo";
  order.arguments = {"echo", "", "a b"};
  order.environment = {"A=1", "PWD=/old", "EMPTY="};
  order.out = 5;
  order.wireup = 6;
  return order;
}

TEST(GuardOrders, SpawnComesBackWhole) {
  const std::string bytes = encode_spawn(example());
  const auto message = message_of(bytes);
  EXPECT_EQ(message.header.kind, MessageKind::spawn);
  EXPECT_EQ(message.header.id, 7u);
  EXPECT_EQ(message.header.body_size, message.body.size());
  const auto view = decode_spawn(message);
  ASSERT_TRUE(view.has_value());
  EXPECT_STREQ(view->program, "/bin/echo");
  EXPECT_STREQ(view->workdir, "");
  EXPECT_EQ(strings(view->arguments), (std::vector<std::string>{"echo", "", "a b"}));
  EXPECT_EQ(strings(view->environment), (std::vector<std::string>{"A=1", "PWD=/old", "EMPTY="}));
  EXPECT_EQ(view->has_descriptor, (std::array<bool, kTaskDescriptors>{false, true, false, true}));
}

TEST(GuardOrders, ASharedBlockComesBeforeTheOwnEntries) {
  EnvironmentBlock block;
  block.add("B", "2");
  block.add("NUL", std::string_view("x\0LD_PRELOAD=y", 14));
  auto order = example();
  order.common = std::make_shared<const EnvironmentBlock>(block);
  const std::string bytes = encode_spawn(order);
  const auto view = decode_spawn(message_of(bytes));
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(strings(view->environment),
            (std::vector<std::string>{"B=2", "NUL=x", "A=1", "PWD=/old", "EMPTY="}));
}

TEST(GuardOrders, CpusTravelAsBits) {
  auto order = example();
  order.cpus = model::CpuSet::of(1) | model::CpuSet::of(70);
  const std::string bytes = encode_spawn(order);
  const auto view = decode_spawn(message_of(bytes));
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->cpus, order.cpus.words());
  EXPECT_STREQ(view->program, "/bin/echo");
}

TEST(GuardOrders, NumaNodesTravelAsBits) {
  auto order = example();
  order.cpus = model::CpuSet::of(70);
  order.memory = {model::MemoryMode::interleave, model::CpuSet::of(0) | model::CpuSet::of(65)};
  const std::string bytes = encode_spawn(order);
  const auto view = decode_spawn(message_of(bytes));
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->cpus, order.cpus.words());
  EXPECT_EQ(view->memory_mode, model::MemoryMode::interleave);
  EXPECT_EQ(view->memory_nodes, order.memory.nodes.words());
  EXPECT_STREQ(view->program, "/bin/echo");
}

TEST(GuardOrders, WorkdirReplacesPwd) {
  auto order = example();
  order.workdir = "/new";
  const std::string absolute = encode_spawn(order);
  EXPECT_EQ(strings(decode_spawn(message_of(absolute))->environment),
            (std::vector<std::string>{"A=1", "EMPTY=", "PWD=/new"}));
  order.workdir = "below";
  const std::string relative = encode_spawn(order);
  EXPECT_EQ(strings(decode_spawn(message_of(relative))->environment),
            (std::vector<std::string>{"A=1", "EMPTY="}));
}

TEST(GuardOrders, NulInAStringCannotAddStrings) {
  auto order = example();
  order.arguments = {std::string("a\0LD_PRELOAD=x", 14), "b"};
  const std::string bytes = encode_spawn(order);
  const auto view = decode_spawn(message_of(bytes));
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(strings(view->arguments), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(strings(view->environment).size(), 3u);
}

TEST(GuardOrders, EveryCutOfASpawnIsNoticed) {
  const std::string bytes = encode_spawn(example());
  for (std::size_t size = sizeof(MessageHeader); size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_spawn(message_of(bytes.substr(0, size))).has_value()) << size;
  }
  EXPECT_FALSE(decode_spawn(message_of(bytes + "x")).has_value());
}

TEST(GuardOrders, RepliesComeBackWhole) {
  std::string bytes;
  append_ended(bytes, {.id = 3, .pid = 99, .signal = 11, .core_dumped = true, .max_rss_kib = 5});
  const auto ended = decode_ended(message_of(bytes));
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->pid, 99);
  EXPECT_EQ(ended->signal, 11);
  EXPECT_TRUE(ended->core_dumped);
  EXPECT_EQ(ended->max_rss_kib, 5u);
  bytes.clear();
  append_swept(bytes, {{"pid 1 (a)", "pid 2 (b)"}});
  EXPECT_EQ(decode_swept(message_of(bytes))->leftovers,
            (std::vector<std::string>{"pid 1 (a)", "pid 2 (b)"}));
}

TEST(GuardOrders, GraceIsKeptInRange) {
  EXPECT_EQ(message_of(encode_grace(base::Duration(-5))).header.number, 0);
  EXPECT_EQ(message_of(encode_grace(std::chrono::hours(100000))).header.number, 2147483647);
}

}  // namespace
}  // namespace muster::process
