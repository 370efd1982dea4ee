// What runs within a step: trials, and loops over items, whose values are known only when they
// start.
#include <gtest/gtest.h>
#include <map>

#include "front/job/front.hpp"
#include "front/pipeline_request.hpp"

namespace muster::front::steps_within_test {
namespace {

Call submits(const std::string& text) {
  Call call{.called = "submit",
            .words = {"job.yml"},
            .environment = {"HOME=/home/u"},
            .current_folder = "/here",
            .read_file = [text](const std::string& path, std::size_t) -> base::Result<std::string> {
              if (path == "job.yml") return text;
              return base::fail(base::Fault::bad_file, "", "no {}", path);
            }};
  call.has_file = [](const std::string&) { return false; };
  call.record_folder = "/records/1";
  return call;
}

TEST(StepsWithin, ATrialWhoseLauncherRefusesItsValuesIsAnError) {
  const auto read = read_submit(submits(R"(type: sweep
trial: {command: "mpirun -np ${{search_space.n}} ./a"}
sampling_algorithm: grid
search_space: {n: {type: choice, values: [2, four]}}
objective: {goal: minimize, primary_metric: loss}
)"));
  ASSERT_TRUE(read && read->pipeline);
  ASSERT_TRUE(read->pipeline->sweep);
  const auto& request = read->pipeline->sweep->request;
  EXPECT_TRUE(request(0, {}, {{"n", "2"}}));
  const auto refused = request(1, {}, {{"n", "four"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      to_string(refused.error()),
      "job.yml:2:18: mpirun would not start: -np must be a whole number from 0 to 1000000, not "
      "'four'\n  hint: -n, -np, -c N: How many ranks of this program (default: all slots).");
}

TEST(StepsWithin, AnItemWhoseLauncherRefusesItsValuesIsAnError) {
  const auto read = read_submit(submits(R"(type: pipeline
jobs:
  list: {command: x, outputs: {items: {type: string}}}
  each:
    type: parallel_for
    body: "${{parent.jobs.go}}"
    items: "${{parent.jobs.list.outputs.items}}"
  go: {command: "mpirun -np ${{inputs.n}} ./a", inputs: {n: {type: string}}}
)"));
  ASSERT_TRUE(read && read->pipeline) << (read ? to_string(read->complaints.front()) : "");
  StepStart start;
  start.read = [](const std::string&) -> base::Result<std::string> {
    return std::string(R"([{"n": "four"}])");
  };
  start.hosts = {{"localhost", 1}};
  const auto within = read->pipeline->within(1, start);
  ASSERT_FALSE(within);
  EXPECT_NE(within.error().what.find("mpirun would not start"), std::string::npos)
      << to_string(within.error());
}

}  // namespace
}  // namespace muster::front::steps_within_test
