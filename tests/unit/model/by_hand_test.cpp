// What a person types to reach a host goes the way of the run.
#include "model/by_hand.hpp"

#include <gtest/gtest.h>

namespace muster::model {
namespace {

Host host(const std::string& name, const std::string& user = {}) {
  Host out;
  out.name = name;
  out.user = user;
  return out;
}

CarrierSpec spec(std::vector<std::string> command, std::uint32_t port = 0,
                 std::string identity = {}) {
  CarrierSpec out;
  out.command = std::move(command);
  out.port = port;
  out.identity = std::move(identity);
  return out;
}

TEST(ByHandOf, PlainSsh) {
  const ByHand plain({}, host("node1"));
  EXPECT_EQ(plain.call(), "ssh node1");
  EXPECT_EQ(plain.scan(), "ssh-keyscan node1");
  EXPECT_EQ(plain.known_as(), "node1");
  EXPECT_EQ(plain.copy("/opt/muster"), "scp /opt/muster node1:/opt/muster");
  EXPECT_EQ(plain.copy("~/bin/muster"), "scp ~/bin/muster node1:bin/muster");
  EXPECT_EQ(plain.give_key(""), "ssh-copy-id node1");
}

TEST(ByHandOf, PortKeyAndUser) {
  const ByHand its(spec({"/usr/bin/ssh"}, 2222, "/my key"), host("node1", "ana"));
  EXPECT_EQ(its.call(), "/usr/bin/ssh -p 2222 -i '/my key' ana@node1");
  EXPECT_EQ(its.scan(), "ssh-keyscan -p 2222 node1");
  EXPECT_EQ(its.known_as(), "[node1]:2222");
  EXPECT_EQ(its.copy("/m"), "scp -P 2222 -i '/my key' /m ana@node1:/m");
  EXPECT_EQ(its.give_key("bob@node1"), "ssh-copy-id -p 2222 -i '/my key' bob@node1");
}

TEST(ByHandOf, TheHostsOwnPortWins) {
  Host own = host("node1");
  own.port = 30'022;
  EXPECT_EQ(ByHand(spec({"ssh"}, 2222), own).call(), "ssh -p 30022 node1");
}

TEST(ByHandOf, AnAddressWithColons) {
  EXPECT_EQ(ByHand({}, host("fe80::1", "ana")).copy("/m"), "scp /m 'ana@[fe80::1]:/m'");
}

TEST(ByHandOf, WordsOfTheUsers) {
  const ByHand its(spec({"ssh", "-J", "jump"}, 2222, "~/k"), host("node1"));
  EXPECT_EQ(its.call(), "ssh -J jump -p 2222 -i ~/k node1");
  EXPECT_EQ(its.scan(), "");
  EXPECT_EQ(its.copy("/m"), its.call() + " 'cat > /m && chmod +x /m' < /m");
  EXPECT_EQ(its.give_key(""), its.call() + " 'cat >> ~/.ssh/authorized_keys' < ~/k.pub");
  EXPECT_EQ(its.give_key("ana@jump"), "ssh-copy-id ana@jump");
}

TEST(ByHandOf, OtherCommandsGetNoOptions) {
  EXPECT_EQ(ByHand(spec({"/etc/mpi/kubexec.sh"}, 2222, "/k"), host("pod-0")).call(),
            "/etc/mpi/kubexec.sh pod-0");
}

TEST(ByHandOf, CommandsAroundSshGetItsOptions) {
  const auto call = [](std::vector<std::string> command) {
    return ByHand(spec(std::move(command), 2222, "/k"), host("n")).call();
  };
  EXPECT_EQ(call({"/opt/bin/myssh"}), "/opt/bin/myssh -p 2222 -i /k n");
  EXPECT_EQ(call({"env", "X=1", "ssh"}), "env X=1 ssh -p 2222 -i /k n");
  EXPECT_EQ(call({"sshpass", "-p", "x", "ssh"}), "sshpass -p x ssh -p 2222 -i /k n");
  EXPECT_EQ(call({"plink", "-batch"}), "plink -batch -P 2222 -i /k n");
  EXPECT_EQ(call({"env", "X=1", "rsh"}), "env X=1 rsh n");
}

TEST(ByHandOf, ScriptsAreCalledByTheirNames) {
  const auto script = [](const std::string& name) {
    return spec({"/bin/sh", "-c", "exec something \"$@\"", name});
  };
  EXPECT_EQ(ByHand(script("qrsh -inherit"), host("node1")).call(), "qrsh -inherit node1");
  EXPECT_EQ(ByHand(script("srun"), host("node1")).call(), "srun --nodelist=node1");
  Host third = host("node3");
  third.component = 2;
  EXPECT_EQ(ByHand(script("flux exec"), third).call(), "flux exec --rank=2");
}

TEST(ByHandOf, OnlyAShellReadsACommand) {
  const ByHand its(spec({"ssh", "-J", "jump"}), host("node1"));
  EXPECT_EQ(its.path_there("/opt/muster"), "/opt/muster");
  EXPECT_EQ(its.path_there("~/muster"), "'~/muster'");
  EXPECT_EQ(its.path_there("/my muster"), R"(''\''/my muster'\''')");
  const ByHand script(spec({"/bin/sh", "-c", "exec something", "srun"}), host("node1"));
  for (const ByHand& one : {ByHand::step({}, host("node1")), script}) {
    EXPECT_EQ(one.copy("/m"), one.call() + " sh -c 'cat > /m && chmod +x /m' < /m");
    EXPECT_EQ(one.path_there("~/muster"), "~/muster");
    EXPECT_EQ(one.path_there("/my muster"), "'/my muster'");
  }
}

TEST(ByHandOf, NobodyWhoHasComeByItself) { EXPECT_EQ(ByHand().call(), ""); }

}  // namespace
}  // namespace muster::model
