// Hosts that are named inside a batch job are reached as that job's are, whichever launcher is
// called.
#include <gtest/gtest.h>
#include <map>

#include "front/front.hpp"
#include "front/inherited.hpp"
#include "model/carriers.hpp"

namespace muster::front::granted_hosts_test {
namespace {

using Words = std::vector<std::string>;
using Files = std::map<std::string, std::string>;

const Words kGridEngine = {"SGE_ROOT=/sge", "JOB_ID=7", "PE_HOSTFILE=/pe"};
const Words kPbs = {"PBS_JOBID=8.server", "PBS_NODEFILE=/pbs"};

base::Result<std::string> read_file(const std::string& path) {
  static const Files files = {{"/pe", "n1 2 q@n1 UNDEFINED\nn2.cluster 2 q@n2 UNDEFINED\n"},
                              {"/pbs", "n1\nn2\n"},
                              {"/here/hosts", "n2 slots=1\n"},
                              {"/here/machines", "n2:1\n"}};
  const auto found = files.find(path.starts_with('/') ? path : "/here/" + path);
  if (found != files.end()) return found->second;
  return base::fail_at({path, 0, 0}, base::Fault::bad_file, "", "no such file");
}

// The words that reach hosts, and those that start the agent there.
model::CarrierSpec carrier(const std::string& launcher, const Words& words,
                           const Words& around = kGridEngine) {
  Call call{.called = launcher,
            .words = words,
            .environment = around,
            .current_folder = "/here",
            .read_file = [](const std::string& path, std::size_t) { return read_file(path); },
            .has_file = [](const std::string&) { return false; }};
  auto reading = front_of(launcher)->read(call);
  if (!reading || !reading->request) {
    ADD_FAILURE() << (reading ? "no request" : to_string(reading.error()));
    return {};
  }
  EXPECT_TRUE(take_inherited_settings(call, {}, reading->request->spec));
  return reading->request->spec.carrier;
}

std::string reach(const std::string& launcher, const Words& words,
                  const Words& around = kGridEngine) {
  return carrier(launcher, words, around).command.back();
}

TEST(GrantedHosts, AreReachedByTheJobFromEveryLauncherThatNamesThem) {
  EXPECT_EQ(reach("run", {"-H", "n1,n2", "p"}), "qrsh -inherit");
  EXPECT_EQ(reach("run", {"--hostfile", "/here/hosts", "p"}), "qrsh -inherit");
  EXPECT_EQ(reach("mpirun", {"-H", "n2.cluster", "p"}), "qrsh -inherit");
  EXPECT_EQ(reach("mpirun", {"--hostfile", "/here/hosts", "p"}), "qrsh -inherit");
  EXPECT_EQ(reach("mpiexec.hydra", {"-hosts", "n1,n2", "p"}), "qrsh -inherit");
  EXPECT_EQ(reach("mpiexec.hydra", {"-f", "/here/machines", "p"}), "qrsh -inherit");
  EXPECT_EQ(reach("horovodrun", {"-np", "1", "-H", "n2:1", "p"}), "qrsh -inherit");
  EXPECT_EQ(reach("torchrun", {"-H", "n1,n2", "p.py"}), "qrsh -inherit");
  EXPECT_EQ(reach("deepspeed", {"--hostfile", "/here/hosts", "p.py"}), "qrsh -inherit");
}

TEST(GrantedHosts, AreAllThatMayBeNamed) {
  EXPECT_EQ(reach("run", {"-H", "localhost,n2", "p"}), "qrsh -inherit");
  EXPECT_EQ(reach("run", {"-H", "n2,n3", "p"}), "ssh");
  EXPECT_EQ(reach("run", {"-H", "n2.elsewhere", "p"}), "ssh");
  EXPECT_EQ(reach("run", {"-H", "me@n2", "p"}), "ssh");
  EXPECT_EQ(reach("run", {"-H", "n1", "p"}, {}), "ssh");
}

TEST(GrantedHosts, AreReachedAsItWasSaid) {
  EXPECT_EQ(reach("run", {"--ssh-command", "rsh -n", "-H", "n2", "p"}), "-n");
  EXPECT_EQ(reach("run", {"--ssh-port", "23", "-H", "n2", "p"}), "ssh");
  EXPECT_EQ(reach("mpiexec.hydra", {"-launcher", "ssh", "-hosts", "n2", "p"}), "ssh");
  EXPECT_EQ(reach("mpiexec.hydra", {"-launcher", "ssh", "p"}), "ssh");
  EXPECT_EQ(reach("mpiexec.hydra", {"-launcher", "rsh", "p"}), "rsh");
}

// Of the usual ways only a command is another one.
TEST(GrantedHosts, AreReachedByTheJobWhateverIsUsualForSsh) {
  for (const char* usual : {"MUSTER_SSH_PORT=23", "MUSTER_SSH_IDENTITY=key"}) {
    Words around = kGridEngine;
    around.emplace_back(usual);
    EXPECT_EQ(reach("run", {"-H", "n2", "p"}, around), "qrsh -inherit") << usual;
    around = kPbs;
    around.emplace_back(usual);
    EXPECT_EQ(carrier("run", {"p"}, around).wrapper.size(), 5U) << usual;
  }
  Words around = kGridEngine;
  around.emplace_back("MUSTER_SSH_COMMAND=rsh -n");
  EXPECT_EQ(reach("run", {"-H", "n2", "p"}, around), "-n");
}

TEST(GrantedHosts, OfPbsTellTheirMomOfTheAgent) {
  for (const Words& words : {Words{"-H", "n1", "p"}, Words{"p"}}) {
    const auto found = carrier("run", words, kPbs);
    EXPECT_EQ(found.command, Words{"ssh"});
    ASSERT_EQ(found.wrapper.size(), 5U);
    EXPECT_EQ(found.wrapper.back(), "8.server");
  }
  EXPECT_EQ(carrier("run", {"-H", "n9", "p"}, kPbs).wrapper, Words());
  EXPECT_EQ(carrier("run", {"--ssh-command", "ssh -q", "p"}, kPbs).wrapper, Words());
}

// "n2" is broker 5's.
model::JobSpec in_flux(const Words& words) {
  Call call{.called = "run", .words = words, .environment = {"FLUX_URI=local:///f"}};
  call.ask = [](const Words&) -> base::Result<std::string> {
    return R"({"version":1,"execution":{"nodelist":["n[1-2]"],
               "R_lite":[{"rank":"4-5","children":{"core":"0"}}]}})";
  };
  auto reading = front_of("run")->read(call);
  if (!reading || !reading->request) return {};
  EXPECT_TRUE(take_inherited_settings(call, {}, reading->request->spec));
  return reading->request->spec;
}

TEST(GrantedHosts, OfFluxAreCalledByTheirBrokers) {
  for (const Words& words : {Words{"-H", "n2", "p"}, Words{"p"}}) {
    const model::JobSpec spec = in_flux(words);
    EXPECT_EQ(spec.carrier.command.back(), "flux exec");
    EXPECT_TRUE(spec.carrier.by_component);
    ASSERT_FALSE(spec.hosts.empty());
    EXPECT_EQ(spec.hosts.back().component, 5U);
  }
  EXPECT_EQ(in_flux({"-H", "n2,n3", "p"}).carrier, model::CarrierSpec());
  EXPECT_EQ(in_flux({"--ssh-port", "23", "p"}).carrier.command, Words{"ssh"});
}

TEST(GrantedHosts, AreALeftoverInsideASlurmJob) {
  Words both = kPbs;
  both.insert(both.end(), {"SLURM_JOB_ID=9", "SLURM_JOB_NODELIST=n[1-3]"});
  EXPECT_EQ(carrier("run", {"-H", "n1", "p"}, both).wrapper, Words());
}

}  // namespace
}  // namespace muster::front::granted_hosts_test
