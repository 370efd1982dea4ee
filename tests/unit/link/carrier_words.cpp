// The words that start an agent on a host.
#include <gtest/gtest.h>

#include "link/link.hpp"
#include "model/carriers.hpp"

namespace muster::link {
namespace {

using Words = std::vector<std::string>;

model::Host host(const std::string& name) {
  model::Host out;
  out.name = name;
  out.carrier = model::kOpened;
  return out;
}

Words words(const model::CarrierSpec& carrier, const model::Host& to,
            const std::string& agent = "/usr/bin/muster") {
  return carrier_words(carrier, to, agent).value();
}

TEST(CarrierWords, PlainSsh) {
  EXPECT_EQ(words({}, host("node1")), (Words{"ssh", "-T", "-x", "-o", "BatchMode=yes", "node1",
                                             "exec /usr/bin/muster agent"}));
}

TEST(CarrierWords, AWrapperStartsTheAgent) {
  model::CarrierSpec carrier;
  carrier.wrapper = {"/bin/sh", "-c", "track $1; exec \"$@\"", "track", "7.server[]"};
  EXPECT_EQ(words(carrier, host("node1")).back(),
            "exec /bin/sh -c 'track $1; exec \"$@\"' track '7.server[]' /usr/bin/muster agent");
}

TEST(CarrierWords, UserPortAndKey) {
  model::CarrierSpec carrier;
  carrier.command = {"/usr/local/bin/ssh", "-v"};
  carrier.port = 2222;
  carrier.identity = "/keys/id job";
  model::Host to = host("node1");
  to.user = "worker";
  EXPECT_EQ(words(carrier, to),
            (Words{"/usr/local/bin/ssh", "-v", "-T", "-x", "-o", "BatchMode=yes", "-p", "2222",
                   "-i", "/keys/id job", "worker@node1", "exec /usr/bin/muster agent"}));
}

TEST(CarrierWords, OtherCommandsGetWhatIsSaidAndNoMore) {
  model::CarrierSpec carrier;
  carrier.command = {"env", "X=1", "ssh"};
  EXPECT_EQ(words(carrier, host("n")),
            (Words{"env", "X=1", "ssh", "n", "exec /usr/bin/muster agent"}));
  carrier.port = 2222;
  carrier.identity = "k";
  EXPECT_EQ(words(carrier, host("n")), (Words{"env", "X=1", "ssh", "-p", "2222", "-i", "k", "n",
                                              "exec /usr/bin/muster agent"}));
  carrier.command = {"plink"};
  EXPECT_EQ(words(carrier, host("n")),
            (Words{"plink", "-P", "2222", "-i", "k", "n", "exec /usr/bin/muster agent"}));
  carrier.command = {"/etc/mpi/kubexec.sh"};
  EXPECT_EQ(words(carrier, host("n")),
            (Words{"/etc/mpi/kubexec.sh", "n", "exec /usr/bin/muster agent"}));
}

TEST(CarrierWords, TheHostsOwnPortWins) {
  model::CarrierSpec carrier;
  carrier.port = 2222;
  model::Host to = host("node1");
  to.port = 30'022;
  EXPECT_EQ(words(carrier, to)[6], "30022");
}

TEST(CarrierWords, AddressesStayAsTheyAre) {
  EXPECT_EQ(words({}, host("fe80::1%eth0"))[5], "fe80::1%eth0");
  EXPECT_EQ(words({}, host("10.0.0.3"))[5], "10.0.0.3");
}

TEST(CarrierWords, OtherCommandsGetNoOptions) {
  model::CarrierSpec carrier;
  carrier.command = {"/etc/mpi/kubexec.sh"};
  carrier.port = 2222;
  carrier.identity = "/key";
  EXPECT_EQ(words(carrier, host("pod-0")),
            (Words{"/etc/mpi/kubexec.sh", "pod-0", "exec /usr/bin/muster agent"}));
}

TEST(CarrierWords, PathsAreQuotedWhenNeeded) {
  EXPECT_EQ(words({}, host("n"), "/opt/muster-0.1/bin/muster").back(),
            "exec /opt/muster-0.1/bin/muster agent");
  EXPECT_EQ(words({}, host("n"), "/my tools/muster").back(), "exec '/my tools/muster' agent");
  EXPECT_EQ(words({}, host("n"), "/it's/$HOME").back(), "exec '/it'\\''s/$HOME' agent");
  EXPECT_EQ(words({}, host("n"), "~/bin/muster").back(), "exec ~/bin/muster agent");
  EXPECT_EQ(words({}, host("n"), "~/my bin/muster").back(), "exec ~/'my bin/muster' agent");
}

TEST(CarrierWords, NamesThatCouldBeOptionsAreRefused) {
  model::Host user = host("node1");
  user.user = "-oProxyCommand=reboot";
  for (const auto& result :
       {carrier_words({}, host("-oProxyCommand=reboot"), "/m"), carrier_words({}, user, "/m"),
        carrier_words({}, host(""), "/m"), carrier_words({}, host("a\nb"), "/m"),
        carrier_words({}, host("n"), "-c")}) {
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().fault, base::Fault::usage);
  }
}

}  // namespace
}  // namespace muster::link
