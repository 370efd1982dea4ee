// Which names mean this machine.
#include <gtest/gtest.h>

#include "probe/own_names.hpp"
#include "probe/probe.hpp"

namespace muster::probe {
namespace {

[[nodiscard]] Address address(const std::string& text) { return Address::parse(text).value(); }

// node1.lab with 10.0.0.1; its resolver knows node1.other as itself, and counts how often it is
// asked.
struct Machine {
  int asked = 0;
  Self self{"node1.lab",
            {address("10.0.0.1"), address("2001:db8::1")},
            "# a comment with alias0\n"
            "127.0.1.1 alias1\n"
            "10.0.0.1\tAlias2 alias3 # alias4\n"
            "10.0.0.2 node2 node1.far\n"
            "not-an-address alias5\n",
            [this](const std::string& name) {
              ++asked;
              return std::vector<Address>{address(name == "node1.other" ? "10.0.0.1" : "10.9.9.9")};
            }};
  [[nodiscard]] bool owns(const std::string& name) const { return is_own_name(self, name); }
};

TEST(OwnNames, AreLocalhostAndLoopbackAddresses) {
  const Machine machine;
  for (const char* name :
       {"localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.3.2.1", "::1", "[::1]"}) {
    EXPECT_TRUE(machine.owns(name)) << name;
  }
  EXPECT_FALSE(machine.owns(""));
  EXPECT_FALSE(machine.owns("localhosts"));
}

TEST(OwnNames, AreAddressesOfInterfacesInAnySpelling) {
  const Machine machine;
  EXPECT_TRUE(machine.owns("10.0.0.1"));
  EXPECT_TRUE(machine.owns("::ffff:10.0.0.1"));
  EXPECT_TRUE(machine.owns("2001:DB8:0::1"));
  EXPECT_FALSE(machine.owns("10.0.0.2"));
  EXPECT_FALSE(machine.owns("2001:db8::2"));
}

TEST(OwnNames, AreTheHostNameLongAndShort) {
  const Machine machine;
  EXPECT_TRUE(machine.owns("node1.lab"));
  EXPECT_TRUE(machine.owns("Node1.Lab."));
  EXPECT_TRUE(machine.owns("node1"));
  EXPECT_FALSE(machine.owns("node"));
  EXPECT_FALSE(machine.owns("node2"));
  EXPECT_EQ(machine.asked, 0);
}

TEST(OwnNames, AreThoseThatTheHostsFileGivesOurAddresses) {
  const Machine machine;
  EXPECT_TRUE(machine.owns("alias1"));
  EXPECT_TRUE(machine.owns("alias2"));
  EXPECT_TRUE(machine.owns("alias3"));
  EXPECT_FALSE(machine.owns("alias0"));
  EXPECT_FALSE(machine.owns("alias4"));
  EXPECT_FALSE(machine.owns("alias5"));
  EXPECT_EQ(machine.asked, 0);
}

TEST(OwnNames, AskTheResolverOnlyForOurFirstLabel) {
  const Machine machine;
  EXPECT_FALSE(machine.owns("node2.other"));
  EXPECT_EQ(machine.asked, 0);
  EXPECT_TRUE(machine.owns("node1.other"));
  EXPECT_FALSE(machine.owns("node1.elsewhere"));
  EXPECT_EQ(machine.asked, 2);
}

TEST(LocalNames, KeepTheirOrderAndSpelling) {
  const std::vector<std::string> names{"no-such-host.invalid", "LocalHost", hostname(), "192.0.2.1",
                                       "127.0.0.1"};
  EXPECT_EQ(local_names(names), (std::vector<std::string>{"LocalHost", hostname(), "127.0.0.1"}));
  EXPECT_EQ(local_names({}), std::vector<std::string>{});
}

TEST(LocalNames, HoldTheAddressesOfAllInterfaces) {
  std::vector<std::string> addresses;
  for (const auto& interface : interfaces()) addresses.push_back(interface.address);
  EXPECT_EQ(local_names(addresses), addresses);
}

TEST(Interfaces, LeaveOutLoopbackAndLinkLocal) {
  for (const auto& [name, text] : interfaces()) {
    const auto parsed = Address::parse(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_FALSE(parsed->is_loopback()) << name;
    EXPECT_FALSE(parsed->is_link_local()) << name;
    EXPECT_EQ(parsed->text(), text);
    EXPECT_FALSE(name.empty());
  }
}

TEST(Addresses, PrintAsTheyAreUsuallyWritten) {
  EXPECT_EQ(address("10.0.0.1").text(), "10.0.0.1");
  EXPECT_EQ(address("2001:DB8:0:0::1").text(), "2001:db8::1");
  EXPECT_TRUE(address("fe80::1%eth0").is_link_local());
  EXPECT_FALSE(Address::parse("node1"));
  EXPECT_FALSE(Address::parse("10.0.0"));
  EXPECT_FALSE(Address::parse(""));
  EXPECT_FALSE(Address::from(nullptr));
}

TEST(Hostname, IsTheKernels) {
  EXPECT_FALSE(hostname().empty());
  EXPECT_EQ(hostname().find('\0'), std::string::npos);
}

TEST(SshConnectionWords, AreClientAndServer) {
  const SshConnection found = ssh_connection("10.0.0.9 51234 10.0.0.1 22");
  EXPECT_EQ(found.client, "10.0.0.9");
  EXPECT_EQ(found.server, "10.0.0.1");
}

TEST(SshConnectionWords, AreNothingWhenIncomplete) {
  for (const char* text : {"", "10.0.0.9", "10.0.0.9 51234 10.0.0.1"}) {
    const SshConnection found = ssh_connection(text);
    EXPECT_EQ(found.client + found.server, "") << text;
  }
}

TEST(EndsTowards, AreThoseOfARoute) {
  const SshConnection found = ends_towards("127.0.0.1");
  EXPECT_EQ(found.client, "127.0.0.1");
  EXPECT_EQ(found.server, "127.0.0.1");
  for (const char* text : {"", "node1", "10.0.0.300"}) {
    EXPECT_EQ(ends_towards(text).client, "") << text;
  }
}

}  // namespace
}  // namespace muster::probe
