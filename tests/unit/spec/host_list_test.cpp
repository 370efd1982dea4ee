// Host lists as after -H.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "spec/hosts.hpp"

namespace muster::spec {
namespace {

using model::HostEntry;

HostEntry entry(std::string name, std::optional<std::uint32_t> slots = {}, std::string user = "") {
  return {std::move(name), std::move(user), 0, slots, std::nullopt, {"-H", 0, 0}};
}

void expect_refused(std::string_view text, const std::string& what) {
  const auto hosts = read_host_list(text);
  ASSERT_FALSE(hosts) << text;
  EXPECT_EQ(hosts.error().what, what) << text;
  EXPECT_EQ(hosts.error().place, (base::Place{"-H", 0, 0}));
  EXPECT_EQ(hosts.error().fault, base::Fault::usage);
}

TEST(HostList, NumbersInBracketsAreManyHosts) {
  const auto hosts = read_host_list("node[1-2,07]:8, me@r[1-2]n[09-10], other");
  ASSERT_TRUE(hosts) << to_string(hosts.error());
  EXPECT_EQ(*hosts, (std::vector<HostEntry>{entry("node1", 8), entry("node2", 8),
                                            entry("node07", 8), entry("r1n09", {}, "me"),
                                            entry("r1n10", {}, "me"), entry("r2n09", {}, "me"),
                                            entry("r2n10", {}, "me"), entry("other")}));
  const auto cores = read_host_list("node[1-2]:*,[fe80::1]:2");
  ASSERT_TRUE(cores) << to_string(cores.error());
  EXPECT_TRUE(cores->front().slots_are_cores);
  EXPECT_EQ(cores->back(), entry("fe80::1", 2));
}

TEST(HostList, OddNumbersInBracketsAreRefused) {
  for (const char* word :
       {"node[1-3", "node[3-1]", "node[]", "node[a-b]", "node[1,]", "n[1-99999999999999999999]"}) {
    expect_refused(fmt::format("ok,{}", word),
                   fmt::format("'{}': the brackets do not say which numbers the hosts have", word));
  }
  expect_refused("n[1-2]:x",
                 "'n[1-2]:x': slots must be a whole number from 0 to "
                 "1000000, not 'x'");
}

TEST(HostList, TooManyNumbersInBracketsAreToldAsSuch) {
  for (const char* word :
       {"node[1-9999999]", "n[0-18446744073709551615]", "r[1-1001]n[1-1000]",
        "n[1-900000,1-900000]", "a[1-5000]b[1-5000]c[1-5000]d[1-5000]e[1-5000]f[1-5000]"}) {
    expect_refused(word, fmt::format("'{}': more than 1000000 hosts", word));
  }
  EXPECT_EQ(read_host_list("n[1-2000000]x[").error().what,
            "'n[1-2000000]x[': the brackets do not say which numbers the hosts have");
  EXPECT_TRUE(read_host_list("r[1-10]n[1-10]"));
}

TEST(HostList, ReadsEveryFormInOrder) {
  const auto hosts =
      read_host_list("node1:8,user@node2:8,10.0.0.3,[fe80::1]:4,a.b.example,a_b,ad\\me@[::1%eth0]");
  ASSERT_TRUE(hosts) << to_string(hosts.error());
  EXPECT_EQ(*hosts,
            (std::vector<HostEntry>{entry("node1", 8), entry("node2", 8, "user"), entry("10.0.0.3"),
                                    entry("fe80::1", 4), entry("a.b.example"), entry("a_b"),
                                    entry("::1%eth0", {}, "ad\\me")}));
}

TEST(HostList, KeepsRepeatsForThePlanToAddUp) {
  EXPECT_EQ(read_host_list("a,b,a:3"),
            (std::vector<HostEntry>{entry("a"), entry("b"), entry("a", 3)}));
}

TEST(HostList, AllowsBlanksAroundEntries) {
  EXPECT_EQ(read_host_list(" a:2 ,\tb"), (std::vector<HostEntry>{entry("a", 2), entry("b")}));
}

TEST(HostList, NamesTheEmptyEntry) {
  expect_refused("", "entry 1 is empty");
  expect_refused("a,,b", "entry 2 is empty");
  expect_refused(",", "entry 1 is empty");
  expect_refused("a,,", "entry 2 is empty");
}

TEST(HostList, WhereAnEmptyEntryIsNothingOthersCount) {
  const auto hosts = [](std::string_view list) {
    return read_host_list(list, EmptyEntry::nothing);
  };
  EXPECT_EQ(hosts(",a,, b:2,,"), (std::vector<HostEntry>{entry("a"), entry("b", 2)}));
  for (const char* list : {"", ",", " , ,"}) {
    ASSERT_FALSE(hosts(list)) << list;
    EXPECT_EQ(hosts(list).error().what, "entry 1 is empty");
  }
}

TEST(HostList, MayEndWithAComma) {
  EXPECT_EQ(read_host_list("a,b:2,"), (std::vector<HostEntry>{entry("a"), entry("b", 2)}));
  EXPECT_EQ(read_host_list("a, "), (std::vector<HostEntry>{entry("a")}));
}

TEST(HostList, LeavesOutHostsWithoutSlots) {
  EXPECT_EQ(read_host_list("a:0,b:2,c:0"), (std::vector<HostEntry>{entry("b", 2)}));
  expect_refused("a:0,b:0", "no host has a slot: each is given 0");
}

TEST(HostList, RefusesOddSlots) {
  expect_refused("a:", "'a:': slots must be a whole number from 0 to 1000000, not ''");
  expect_refused("a:-1", "'a:-1': slots must be a whole number from 0 to 1000000, not '-1'");
  expect_refused("a:1000001", "'a:1000001': slots must be from 0 to 1000000, not 1000001");
  expect_refused("a:4294967297", "'a:4294967297': slots must be from 0 to 1000000, not 4294967297");
}

TEST(HostList, TellsHowToLeaveSlotsToMuster) {
  for (const char* list : {"a:auto", "a:*", "[fe80::1]:*"}) {
    const auto hosts = read_host_list(list);
    ASSERT_TRUE(hosts) << list;
    EXPECT_TRUE(hosts->front().slots_are_cores) << list;
    EXPECT_FALSE(hosts->front().slots) << list;
  }
}

TEST(HostList, RefusesNamesThatCouldHarmACommandLine) {
  expect_refused("-oProxyCommand=x", "'-oProxyCommand=x': a host name must not start with '-'");
  expect_refused("u@-x", "'-x': a host name must not start with '-'");
  expect_refused("-u@x", "'-u': not a user name");
  for (const char* name :
       {"a b", "a;b", "$(a)", "a/b", "..", "a\nb", "n\xc3\xa9", "u@", "@a", ":4"}) {
    EXPECT_FALSE(read_host_list(name)) << name;
  }
  EXPECT_FALSE(read_host_list(std::string(254, 'a')));
}

TEST(HostList, AsksForBracketsAroundIpv6) {
  const auto hosts = read_host_list("fe80::1");
  ASSERT_FALSE(hosts);
  EXPECT_EQ(hosts.error().hint, "an IPv6 address goes in brackets: [fe80::1] or [fe80::1]:4");
  for (const char* name : {"[fe80::1", "[]", "[a]", "[::1]x", "[::1]:", "[::1%]", "[::1]:0"}) {
    EXPECT_FALSE(read_host_list(name)) << name;
  }
}

TEST(HostList, ComplaintsStayOnOneShortLine) {
  const auto hosts = read_host_list("a\n" + std::string(5000, 'x'));
  ASSERT_FALSE(hosts);
  EXPECT_EQ(hosts.error().what.find('\n'), std::string::npos);
  EXPECT_LT(hosts.error().what.size(), 300U);
}

TEST(HostList, TellsOfAllBadEntries) {
  const auto hosts = read_host_list("node1:8,,no de:2,node3:x,node4");
  ASSERT_FALSE(hosts);
  EXPECT_EQ(hosts.error().what, "entry 2 is empty");
  EXPECT_EQ(hosts.error().also.size(), 2U);
}

// So that those with one reason are told in one line.
TEST(HostList, BeginsWithTheBadEntry) {
  for (const char* bad : {"a b", "-x", "a:b:c", "n[2-1]", "[a]", "[::1]x", "-u@x", "a:x"}) {
    const auto hosts = read_host_list(bad);
    ASSERT_FALSE(hosts) << bad;
    EXPECT_TRUE(hosts.error().what.starts_with('\'')) << hosts.error().what;
    EXPECT_NE(hosts.error().what.find("': "), std::string::npos) << hosts.error().what;
  }
}

}  // namespace
}  // namespace muster::spec
