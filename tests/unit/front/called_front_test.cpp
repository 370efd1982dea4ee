// The words of muster lead and muster join: what they become, and what is said about wrong ones.
#include <gtest/gtest.h>

#include "front/called/front.hpp"
#include "front/called_request.hpp"
#include "model/carriers.hpp"

namespace muster::front::called_front_test {
namespace {

using Words = std::vector<std::string>;

base::Result<Reading> read(base::Result<Reading> (*how)(const Call&), const Words& words,
                           const Words& environment = {}) {
  return how({.called = "muster",
              .words = words,
              .environment = environment,
              .current_folder = "/here",
              .read_file = [](const std::string& path, std::size_t) -> base::Result<std::string> {
                return path == "names" ? "one\n\ntwo\n" : "one\none\n";
              }});
}

CalledRequest lead(const Words& words, const Words& environment = {}) {
  const auto reading = read(read_lead, words, environment);
  if (reading && reading->called) return *reading->called;
  ADD_FAILURE() << (reading ? "no request" : to_string(reading.error()));
  return {};
}

CalledRequest join(const Words& words) {
  const auto reading = read(read_join, words);
  if (reading && reading->called) return *reading->called;
  ADD_FAILURE() << (reading ? "no request" : to_string(reading.error()));
  return {};
}

std::string complaint(base::Result<Reading> (*how)(const Call&), const Words& words) {
  const auto reading = read(how, words);
  if (reading) return "no complaint";
  EXPECT_FALSE(reading.error().hint.empty()) << reading.error().what;
  return reading.error().what;
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words kLead = {"--listen", "10.0.0.1:7000", "--nodes", "2", "--secret-file", "s"};

TEST(Lead, WaitsThenRunsTheCommandOnce) {
  const CalledRequest request = lead(with(kLead, {"--slots", "8", "--", "mpirun", "-np", "3"}));
  EXPECT_TRUE(request.leads);
  EXPECT_EQ(request.meeting.host, "10.0.0.1");
  EXPECT_EQ(request.meeting.port, 7000U);
  EXPECT_EQ(request.meeting.nodes, 2U);
  EXPECT_TRUE(request.meeting.node) << "hosts may have numbers";
  EXPECT_EQ(request.meeting.limit, std::chrono::minutes(10));
  EXPECT_EQ(request.secret_file, "s");
  EXPECT_EQ(request.slots, 8U);
  const model::App& app = request.spec.apps.front();
  EXPECT_EQ(app.command, (Words{"mpirun", "-np", "3"}));
  EXPECT_EQ(app.ranks, 1U);
  EXPECT_EQ(app.workdir, "/here");
  EXPECT_FALSE(request.spec.launchers.empty());
}

TEST(Lead, NamesHosts) {
  EXPECT_EQ(lead(with(kLead, {"--names", "names", "--", "c"})).names, (Words{"one", "two"}));
  EXPECT_EQ(complaint(read_lead, with(kLead, {"--names", "twice", "--", "c"})),
            "'one' cannot be the name of another host");
}

TEST(Lead, OpensHostsThatAreNamed) {
  const CalledRequest request =
      lead({"-H", "a:2", "-H", "me@b:2", "--start-timeout", "9", "--", "c"});
  EXPECT_TRUE(request.leads);
  EXPECT_TRUE(request.opens);
  ASSERT_EQ(request.spec.hosts.size(), 2U);
  EXPECT_EQ(request.spec.hosts[1].user, "me");
  EXPECT_EQ(request.spec.source, model::kHostsListed);
  EXPECT_EQ(request.spec.carrier.patience, std::chrono::seconds(9));
  EXPECT_EQ(request.spec.apps.front().command, (Words{"c"}));
}

TEST(Lead, OpensTheHostsOfTheBatchJobAround) {
  const Words job = {"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=n[1-2]", "SLURM_TASKS_PER_NODE=4(x2)"};
  const CalledRequest request = lead({"--", "c"}, job);
  EXPECT_TRUE(request.opens);
  ASSERT_EQ(request.spec.hosts.size(), 2U);
  EXPECT_EQ(request.spec.hosts[0].slots, 4U);
  EXPECT_EQ(request.spec.source.carrier, model::kStep);
  EXPECT_FALSE(lead(with(kLead, {"--", "c"})).opens) << "it was said that hosts come";
}

TEST(Lead, SaysThatThereAreNoHosts) {
  EXPECT_EQ(complaint(read_lead, {"--", "c"}),
            "there are no hosts to lead: no batch job around muster gives it some");
  EXPECT_EQ(complaint(read_lead, with(kLead, {"-H", "a", "--", "c"})),
            "-H and --listen cannot be combined");
  EXPECT_EQ(complaint(read_lead, {"-H", "a", "--secret-file", "s", "--", "c"}),
            "--listen is missing");
  EXPECT_EQ(complaint(read_lead, {"-H", "a"}), "no command given");
}

TEST(Lead, SaysWhatIsMissing) {
  EXPECT_EQ(complaint(read_lead, {"--nodes", "2", "--", "c"}), "--listen is missing");
  EXPECT_EQ(complaint(read_lead, {"--listen", "a:1", "--", "c"}), "--nodes is missing");
  EXPECT_EQ(complaint(read_lead, {"--listen", "a:1", "--nodes", "2", "--", "c"}),
            "--secret-file is missing");
  EXPECT_EQ(complaint(read_lead, kLead), "no command given");
}

TEST(Join, KnowsWhereAndWhichItIs) {
  const CalledRequest request = join({"--node", "1", "[fe80::1]:7000", "--of", "3", "--secret-file",
                                      "s", "--start-timeout", "2.5"});
  EXPECT_FALSE(request.leads);
  EXPECT_EQ(request.meeting.host, "fe80::1");
  EXPECT_EQ(request.meeting.node, 1U);
  EXPECT_EQ(request.meeting.nodes, 3U);
  EXPECT_EQ(request.meeting.limit, std::chrono::milliseconds(2500));
  EXPECT_EQ(join({"a:1", "--secret-file", "s"}).meeting.nodes, 0U) << "it was not said";
}

TEST(Join, RefusesWhatMakesNoSense) {
  EXPECT_EQ(complaint(read_join, {"--secret-file", "s"}), "the address of the head is missing");
  EXPECT_EQ(complaint(read_join, {"a:1"}), "--secret-file is missing");
  EXPECT_EQ(complaint(read_join, {"a:1", "b", "--secret-file", "s"}), "unexpected word 'b'");
  EXPECT_EQ(complaint(read_join, {"a:1", "--node", "3", "--of", "3", "--secret-file", "s"}),
            "--node 3 is not one of 3 hosts");
  for (const char* wrong :
       {"a", ":1", "a:0", "a:70000", "a:x", "fe80::1:7", "[fe80::1:7", "a b:1"}) {
    EXPECT_EQ(complaint(read_join, {wrong, "--secret-file", "s"}),
              fmt::format("the head must be ADDRESS:PORT, not '{}'", wrong));
  }
}

TEST(Join, SaysWhatAnAddressLacks) {
  const auto hint = [](const std::string& address) {
    return read_join({.called = "join", .words = {address, "--secret-file", "s"}}).error().hint;
  };
  EXPECT_EQ(hint("launcher"), "add the port at which the head listens; for example 10.0.0.1:7000");
  EXPECT_EQ(hint("fe80::1:7000"), "an IPv6 address needs brackets; for example [fe80::1]:7000");
  EXPECT_EQ(hint("a:70000"), "a port is a number from 1 to 65535; for example 10.0.0.1:7000");
  EXPECT_EQ(hint("tcp://a:7000"),
            "leave out what stands before the address; for example 10.0.0.1:7000");
}

}  // namespace
}  // namespace muster::front::called_front_test
