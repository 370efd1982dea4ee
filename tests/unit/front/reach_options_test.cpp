// How hosts are reached and which variables are left out: said by options of each front end, by
// muster.yml and by variables.
#include "front/reach_options.hpp"

#include <gtest/gtest.h>
#include <map>

#include "front/environment_options.hpp"
#include "front/front.hpp"
#include "front/inherited.hpp"
#include "spec/environment_rule.hpp"

namespace muster::front {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

struct Line {
  std::string called;
  Words before = {};
  Words after = {};
};

// Names of tests may hold letters, digits and '_' only.
std::string test_name_of(const testing::TestParamInfo<Line>& one) {
  std::string name = one.param.called;
  for (char& c : name) {
    if (c == '.') c = '_';
  }
  return name;
}

class Reached : public testing::TestWithParam<Line> {
 protected:
  // As muster settles a request before anything is started; an error is a failure of the test.
  RunRequest request(const Words& options, const Words& environment = {}) {
    Call call{.called = GetParam().called,
              .words = GetParam().before,
              .environment = environment,
              .current_folder = "/here",
              .read_file = [this](const std::string& path, std::size_t) { return file(path); },
              .counts = {[] { return 8U; }, [] { return 2U; }},
              .fresh = "0a1b2c3d",
              .has_file = [this](const std::string& path) { return files_.contains(path); }};
    call.words.insert(call.words.begin(), options.begin(), options.end());
    call.words.insert(call.words.end(), GetParam().after.begin(), GetParam().after.end());
    auto read = front_of(call.called)->read(call);
    if (!read || !read->request) {
      ADD_FAILURE() << (read ? "no request" : to_string(read.error()));
      return {};
    }
    auto taken = take_inherited_settings(call, read->request->said_reach, read->request->spec);
    EXPECT_TRUE(taken) << to_string(taken.error());
    return std::move(*read->request);
  }

  base::Result<std::string> file(const std::string& path) {
    const auto found = files_.find(path);
    if (found != files_.end()) return found->second;
    return base::fail(base::Fault::bad_file, "", "no {}", path);
  }

  std::map<std::string, std::string> files_ = {
      {"job.yml", "command: x\ndistribution: {type: mpi}\n"}, {"hosts", "n1 slots=1\n"}};
};

const Words kTyped = {"--ssh-command",   "jump -q", "--ssh-port",   "77",
                      "--ssh-identity",  "/key",    "--agent-path", "/opt/muster",
                      "--start-timeout", "60",      "--max-open",   "5",
                      "--lease",         "9"};
const Words kSaid = {
    "MUSTER_SSH_COMMAND=other", "MUSTER_SSH_PORT=88",      "MUSTER_SSH_IDENTITY=/other",
    "MUSTER_AGENT_PATH=/other", "MUSTER_START_TIMEOUT=99", "MUSTER_MAX_OPEN=6",
    "MUSTER_LEASE=10",          "MUSTER_WORKDIR=/data"};

TEST_P(Reached, ByOptions) {
  for (const Words& environment : {Words{}, kSaid}) {
    const model::JobSpec spec = request(kTyped, environment).spec;
    EXPECT_EQ(spec.carrier.command, (Words{"jump", "-q"}));
    EXPECT_EQ(spec.carrier.port, 77U);
    EXPECT_EQ(spec.carrier.identity, "/key");
    EXPECT_EQ(spec.carrier.agent_path, "/opt/muster");
    EXPECT_EQ(spec.carrier.patience, 60s);
    EXPECT_EQ(spec.carrier.parallel, 5U);
    EXPECT_EQ(spec.lease, 9s);
  }
}

TEST_P(Reached, AsOptionsOfAnotherCommandSay) {
  const model::CarrierSpec carrier = request(kTyped).spec.carrier;
  EXPECT_EQ(reach_words(carrier), Words(kTyped.begin(), kTyped.begin() + 8));
  EXPECT_EQ(reach_words(model::CarrierSpec()), Words());
}

TEST_P(Reached, ByVariables) {
  const model::JobSpec spec = request({}, kSaid).spec;
  EXPECT_EQ(spec.carrier.command, Words{"other"});
  EXPECT_EQ(spec.carrier.port, 88U);
  EXPECT_EQ(spec.carrier.identity, "/other");
  EXPECT_EQ(spec.carrier.agent_path, "/other");
  EXPECT_EQ(spec.carrier.patience, 99s);
  EXPECT_EQ(spec.carrier.parallel, 6U);
  EXPECT_EQ(spec.lease, 10s);
  const bool is_job = GetParam().called == "submit";
  EXPECT_EQ(spec.apps.front().workdir, is_job ? "/here" : "/data");
}

// Even where what was typed is the default.
TEST_P(Reached, ByOptionsBeforeVariables) {
  const model::JobSpec spec =
      request({"--start-timeout", "15", "--max-open", "32", "--lease", "8"}, kSaid).spec;
  EXPECT_EQ(spec.carrier.patience, 15s);
  EXPECT_EQ(spec.carrier.parallel, 32U);
  EXPECT_EQ(spec.lease, 8s);
  if (GetParam().called == "submit") return;
  for (const char* folder : {"sub", "/here/sub"}) {
    EXPECT_EQ(request({"--workdir", folder}, kSaid).spec.apps.front().workdir, "/here/sub");
  }
}

TEST_P(Reached, AndTellsWhichVariablesAreLeftOut) {
  const Words typed = {"--unset", "A", "--dialects", "^jax", "--unset", "B*"};
  const Words around = {"MUSTER_UNSET=C, D", "MUSTER_DIALECTS=none"};
  const model::EnvironmentRule rule = request(typed, around).spec.environment;
  EXPECT_EQ(rule, (model::EnvironmentRule{{"A", "B*", "C", "D"}, Words{"jax"}}));
  EXPECT_EQ(request({}, {"MUSTER_DIALECTS=^torch"}).spec.environment.silent, Words{"torch"});
  EXPECT_EQ(request({}).spec.environment, model::EnvironmentRule());
}

INSTANTIATE_TEST_SUITE_P(Fronts, Reached,
                         testing::Values(Line{"run", {"-H", "n1", "p"}},
                                         Line{"mpirun", {"-np", "1", "-H", "n1", "p"}},
                                         Line{"mpiexec.hydra", {"-n", "1", "-hosts", "n1", "p"}},
                                         Line{"torchrun", {"-H", "n1", "p.py"}},
                                         Line{"launch", {"-H", "n1", "p.py"}},
                                         Line{"horovodrun", {"-np", "1", "-H", "n1:1", "p"}},
                                         Line{"deepspeed", {"--hostfile", "hosts", "p.py"}},
                                         Line{"submit", {"job.yml"}, {"-H", "n1"}}),
                         test_name_of);

TEST(ReachSettings, OfATargetYieldToOptionsAndNotToVariables) {
  const std::map<std::string, std::string> files = {
      {"job.yml", "command: x\n"},
      {"muster.yml",
       "targets:\n  t: {hosts: n1, ssh_port: 44, start_timeout: 33, max_open: 7}\n"
       "  bad: {hosts: n1, lease: long}\n"}};
  const auto read = [&](const Words& words) {
    return front_of("submit")->read(
        {.called = "submit",
         .words = words,
         .current_folder = "/here",
         .read_file = [&](const std::string& path, std::size_t) -> base::Result<std::string> {
           const auto found = files.find(path.substr(path.rfind('/') + 1));
           if (found != files.end()) return found->second;
           return base::fail(base::Fault::bad_file, "", "no {}", path);
         },
         .has_file = [&](const std::string& path) { return path == "/here/muster.yml"; }});
  };
  const auto typed = read({"job.yml", "--target", "t", "--max-open", "9"});
  ASSERT_TRUE(typed && typed->request) << to_string(typed.error());
  const model::CarrierSpec& carrier = typed->request->spec.carrier;
  EXPECT_EQ(std::tuple(carrier.port, carrier.patience, carrier.parallel), std::tuple(44U, 33s, 9U));
  model::JobSpec spec = typed->request->spec;
  const Call around{.called = "submit", .environment = kSaid};
  ASSERT_TRUE(take_usual_reach(around, {}, typed->request->said_reach, spec));
  EXPECT_EQ(std::tuple(spec.carrier.port, spec.lease), std::tuple(44U, 10s));
  const auto bad = read({"job.yml", "--target", "bad"});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().place.line, 3U);
}

TEST(ReachSettings, OfARerunWinOverThoseOfThen) {
  RunRequest request;
  request.spec.carrier.port = 77;
  const Call again{.called = "run",
                   .environment = kSaid,
                   .reach_wishes = {{"--ssh-port", "99"}, {"--lease", "20"}}};
  ASSERT_TRUE(take_reach_wishes(again, request));
  ASSERT_TRUE(take_usual_reach(again, {}, request.said_reach, request.spec));
  EXPECT_EQ(
      std::tuple(request.spec.carrier.port, request.spec.lease, request.spec.carrier.parallel),
      std::tuple(99U, 20s, 6U));
}

TEST(ReachSettings, AreCheckedWhoeverSaysThem) {
  model::JobSpec spec;
  for (const char* wrong : {"MUSTER_SSH_PORT=0", "MUSTER_LEASE=x", "MUSTER_MAX_OPEN=-1"}) {
    const auto taken = take_usual_reach({.called = "run", .environment = {wrong}}, {}, {}, spec);
    ASSERT_FALSE(taken) << wrong;
    EXPECT_TRUE(taken.error().what.starts_with("MUSTER_")) << taken.error().what;
  }
}

// As the options' table shows them.
TEST(Dialects, AreTheChoicesOfTheOption) {
  std::string choices = "all none";
  const auto all = spec::read_dialects("none");
  for (const std::string& one : *all) choices += " " + one;
  EXPECT_EQ(dialects_text("").traits.choices, choices);
}

}  // namespace
}  // namespace muster::front
