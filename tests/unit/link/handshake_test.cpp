// Two sides of a meeting, joined without a network; and what strangers may say to them.
#include "link/handshake.hpp"

#include <gtest/gtest.h>

namespace muster::link {
namespace {

const std::string kNonce0(32, 'a');
const std::string kNonce1(32, 'b');

wire::Join join() {
  return {.version = "1",
          .nodes = 2,
          .node = 1,
          .hostname = "n1",
          .ranks = 4,
          .role = "default",
          .command = {"python3", "train.py"},
          .workdir = "/work",
          .environment = {{"OMP_NUM_THREADS", "2"}}};
}

struct Pair {
  HostHandshake host;
  GuestHandshake guest;
};

Pair pair(const std::string& theirs, const std::string& ours) {
  return {{theirs, kNonce0}, {ours, kNonce1, join()}};
}

// RFC 4231, test case 2.
TEST(Handshake, MacIsHmacSha256) {
  EXPECT_EQ(mac("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Handshake, BothLearnThatTheOtherIsOfTheirJob) {
  Pair two = pair("secret", "secret");
  const auto proof = two.guest.take(two.host.greeting());
  ASSERT_TRUE(proof);
  EXPECT_FALSE(two.guest.known());
  const auto answer = two.host.take(two.guest.opening() + proof->send);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->join);
  const auto introduction = two.guest.take(answer->send);
  ASSERT_TRUE(introduction);
  EXPECT_TRUE(two.guest.known());
  const auto known = two.host.take(introduction->send);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->join, join());
  const auto begun = two.guest.take("begin\n");
  ASSERT_TRUE(begun);
  EXPECT_TRUE(begun->began);
}

TEST(Handshake, BytesMayComeOneByOne) {
  Pair two = pair("s", "s");
  std::string to_host = two.guest.opening();
  std::string to_guest = two.host.greeting();
  std::optional<wire::Join> known;
  for (int turn = 0; turn < 8 && !known; ++turn) {
    for (const char c : std::exchange(to_guest, "")) {
      const auto step = two.guest.take({&c, 1});
      ASSERT_TRUE(step);
      to_host += step->send;
    }
    for (const char c : std::exchange(to_host, "")) {
      const auto step = two.host.take({&c, 1});
      ASSERT_TRUE(step);
      to_guest += step->send;
      if (step->join) known = step->join;
    }
  }
  EXPECT_EQ(known, join());
}

TEST(Handshake, AnotherSecretIsNotLetIn) {
  Pair two = pair("secret", "other");
  const auto proof = two.guest.take(two.host.greeting());
  const auto answer = two.host.take(two.guest.opening() + proof->send);
  ASSERT_FALSE(answer);
  const auto told = two.guest.take(refusal(answer.error()));
  ASSERT_FALSE(told);
  EXPECT_NE(told.error().what.find("another name or secret"), std::string::npos);
}

TEST(Handshake, AHeadThatDoesNotKnowTheSecretLearnsNothing) {
  Pair two = pair("secret", "secret");
  ASSERT_TRUE(two.guest.take(two.host.greeting()));
  const auto step = two.guest.take(std::string(64, '0') + "\n");
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().fault, base::Fault::unreachable);
}

TEST(Handshake, AProofOfOneMeetingIsOfNoUseInAnother) {
  Pair first = pair("secret", "secret");
  const auto proof = first.guest.take(first.host.greeting());
  HostHandshake second("secret", std::string(32, 'c'));
  EXPECT_FALSE(second.take(first.guest.opening() + proof->send));
}

TEST(Handshake, StrangersAreCutOff) {
  const std::string long_line(kLineMax + 1, 'x');
  for (const std::string& words : {std::string("GET / HTTP/1.1\r\n"), long_line, std::string("\n"),
                                   std::string(97, 'b') + "\n"}) {
    EXPECT_FALSE(HostHandshake("secret", kNonce0).take(words)) << words.substr(0, 20);
    EXPECT_FALSE(GuestHandshake("secret", kNonce1, join()).take(words)) << words.substr(0, 20);
  }
  EXPECT_FALSE(GuestHandshake("s", kNonce1, join()).take("muster-meeting 2 " + kNonce0 + "\n"));
}

TEST(Handshake, OnlyAHostThatIsCalledBringsNoCommand) {
  const wire::Join host{.node = 1, .hostname = "pod-1", .called = true};
  const auto read = wire::decode_join(wire::encode(host));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, host);
  EXPECT_FALSE(wire::decode_join(wire::encode(wire::Join{.nodes = 2, .hostname = "node"})));
}

TEST(Handshake, AnIntroductionIsBounded) {
  Pair two = pair("s", "s");
  const auto proof = two.guest.take(two.host.greeting());
  EXPECT_FALSE(two.host.take(two.guest.opening() + proof->send + "\xff\xff\xff\x7f"));
  Pair odd = pair("s", "s");
  const auto second = odd.guest.take(odd.host.greeting());
  EXPECT_FALSE(
      odd.host.take(odd.guest.opening() + second->send + std::string("\2\0\0\0\xff\xff", 6)));
}

}  // namespace
}  // namespace muster::link
