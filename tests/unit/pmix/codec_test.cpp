// Upcalls and commands survive their journey; bytes that are none are refused.
#include "pmix/codec.hpp"

#include <gtest/gtest.h>
#include <random>

namespace muster::pmix {
namespace {

std::vector<Upcall> upcalls() {
  const std::string zeros("a\0b\n", 4);
  return {Ready{},
          Broken{"no library", "install it"},
          Connected{{"job", 3}},
          Finalized{11, {"job", 4}},
          Aborted{7, {"job", 1}, -42, "because", {{"job", kAllRanks}}},
          Fence{1, {{"job", 0}, {"other", 5}}, zeros},
          Modex{2, {"job", 9}},
          ModexFound{3, kNotFound, zeros},
          Publish{4, {{{"job", 1}, "key", zeros}}, true},
          Lookup{5, {"a", "b"}, true},
          Unpublish{6, {"job", 1}, {"a"}},
          Connect{7, {{"job", 1}}, true},
          Spawn{8,
                {"job", 0},
                {{"/bin/true", {"true", "x"}, {"A=1"}, 3, {{"host", "a,b"}, {"wdir", "/tmp"}}}}},
          Event{-61, {"job", 2}, 5, zeros}};
}

std::vector<Command> commands() {
  Job job{
      "job", {"a", "b"}, {{0, 1}, {2}}, 1, 8, "/dev/shm/x", {{"prog -v", "/tmp", 3}}, Proc{"p", 0},
      2,     7};
  return {AddJob{job},
          Reply{1, kTimeout, "all"},
          Found{2, kPartial, {{{"job", 1}, "key", "value"}}},
          Spawned{3, kSuccess, "child"},
          FetchModex{4, {"job", 9}},
          Event{-61, {"job", 2}, 5, "x"}};
}

template <class Value>
void all_return(const std::vector<Value>& values) {
  std::string bytes;
  for (const Value& value : values) append(bytes, value);
  Reader<Value> reader;
  std::vector<Value> read;
  for (const char byte : bytes) {  // in the worst pieces
    reader.feed({&byte, 1});
    auto next = reader.next();
    ASSERT_TRUE(next) << next.error().what;
    if (*next) read.push_back(**next);
  }
  EXPECT_EQ(read, values);
}

TEST(Codec, EveryUpcallReturns) {
  ASSERT_EQ(upcalls().size(), std::variant_size_v<Upcall>);
  all_return(upcalls());
}

TEST(Codec, EveryCommandReturns) {
  ASSERT_EQ(commands().size(), std::variant_size_v<Command>);
  all_return(commands());
}

TEST(Codec, RefusesFramesThatLie) {
  const auto refused = [](std::string bytes) {
    Reader<Upcall> reader;
    reader.feed(bytes);
    return !reader.next();
  };
  const auto frame = [](std::string payload) {
    return std::string{static_cast<char>(payload.size()), 0, 0, 0} + payload;
  };
  EXPECT_TRUE(refused(std::string(4, '\0')));                                    // empty
  EXPECT_TRUE(refused("\xff\xff\xff\xff"));                                      // too large
  EXPECT_TRUE(refused(frame("\x63")));                                           // no such kind
  EXPECT_TRUE(refused(frame(std::string("\0x", 2))));                            // Ready with more
  EXPECT_TRUE(refused(frame("\x02\xff\xff\xff\xff")));                           // text without end
  EXPECT_TRUE(refused(frame("\x05" + std::string(8, 0) + "\xff\xff\xff\x7f")));  // endless list
}

TEST(Codec, RandomBytesNeverDoMoreThanFail) {
  std::mt19937 random(4711);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    append(bytes, upcalls()[random() % upcalls().size()]);
    for (int change = 0; change < 3; ++change) {
      bytes[4 + random() % (bytes.size() - 4)] = static_cast<char>(random());
    }
    Reader<Upcall> reader;
    reader.feed(bytes);
    const auto next = reader.next();
    EXPECT_TRUE(!next || next->has_value());
  }
}

}  // namespace
}  // namespace muster::pmix
