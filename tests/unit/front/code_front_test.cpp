// The folder in which a job runs: its code, and the output that is the copy of it.
#include <algorithm>
#include <gtest/gtest.h>

#include "front/job/front.hpp"
#include "front/pipeline_request.hpp"
#include "unit/front/submit_call.hpp"

namespace muster::front::code_front_test {
namespace {

using Words = std::vector<std::string>;

class CodeFront : public SubmitCall {};

TEST_F(CodeFront, CodeThatIsAFileIsToldAtOnce) {
  files_["job.yml"] = "command: x\ncode: ./train.py\n";
  files_["/here/train.py"] = "";
  Call call = asked({"job.yml"});
  call.is_file = call.has_file;
  EXPECT_EQ(first_complaint(call),
            "job.yml:2:7: code must be a folder, and './train.py' is a file\n"
            "  hint: name the folder that it lies in");
  call.is_file = [](const std::string&) { return false; };  // but a folder
  EXPECT_EQ(first_complaint(call), "");
  files_.erase("/here/train.py");
  EXPECT_EQ(first_complaint(call),
            "job.yml:2:7: the folder of the code is not there: './train.py'\n"
            "  hint: it is looked for from the folder of the job file; where only other hosts have "
            "it, name them: -H of muster submit, or a target with hosts");
}

TEST_F(CodeFront, AnOutputNamedArtifactsIsTheFolderInWhichTheJobRuns) {
  const std::string job = "command: x ${{outputs.artifacts}}\ncode: .\n";
  files_["job.yml"] = job + "outputs: {artifacts: {type: custom_model}}\n";
  Call call = asked({"job.yml"});
  call.record_folder = "/records/1";
  auto read = read_submit(call);
  ASSERT_TRUE(read && read->request) << first_complaint(call);
  EXPECT_EQ(read->request->record->outputs.front().path, "/records/1/code");
  EXPECT_EQ(read->request->spec.apps.front().command.back(), "x /records/1/code");
  files_["job.yml"] = job + "outputs: {artifacts: {type: uri_file}}\n";
  read = read_submit(call);
  ASSERT_TRUE(read && read->request) << first_complaint(call);
  EXPECT_EQ(read->request->record->outputs.front().path, "/records/1/outputs/artifacts");
  files_["job.yml"] = job + "outputs: {artifacts: {path: ./here}}\n";
  read = read_submit(call);
  ASSERT_TRUE(read && read->request) << first_complaint(call);
  EXPECT_EQ(read->request->record->outputs.front().path, "/here/here");
}

TEST_F(CodeFront, WithoutACopyOfItsCodeArtifactsAreAFolderLikeOthers) {
  const auto place = [&](const std::string& job, const Words& more = {}) -> std::string {
    files_["job.yml"] = job + "outputs: {artifacts: {type: uri_folder}}\n";
    Call call = asked({"job.yml"});
    call.record_folder = "/records/1";
    call.words.insert(call.words.end(), more.begin(), more.end());
    const auto read = read_submit(call);
    const bool is_read = read && read->complaints.empty();
    if (is_read && read->request) return read->request->record->outputs.front().path;
    if (is_read && read->pipeline) return read->pipeline->record.outputs.front().path;
    return first_complaint(call);
  };
  const std::string like_others = "/records/1/outputs/artifacts";
  EXPECT_EQ(place("command: x\n"), like_others);
  EXPECT_EQ(place("command: x\ncode: .\n"), "/records/1/code");
  EXPECT_EQ(place("command: x\ncode: .\n", {"--no-snapshot"}), like_others);
  EXPECT_EQ(place("muster: 1\ncommand: x\ncode: .\n"), like_others);
  EXPECT_EQ(place("type: sweep\ntrial: {command: 'x ${{search_space.n}}', code: .}\n"
                  "sampling_algorithm: grid\nsearch_space: {n: {type: choice, values: [1, 2]}}\n"
                  "objective: {goal: minimize, primary_metric: loss}\n"),
            like_others);
}

TEST_F(CodeFront, ArtifactsThatOnlyAnotherStepNamesNeedACopy) {
  const auto told = [&](const std::string& more_keys, const Words& more = {}) {
    files_["job.yml"] = "type: pipeline\njobs:\n  a: {command: x, code: ." + more_keys +
                        "}\n"
                        "  b: {command: 'y ${{inputs.run}}', inputs: {run: "
                        "'${{parent.jobs.a.outputs.artifacts}}'}}\n";
    Call call = asked({"job.yml"});
    call.record_folder = "/records/1";
    call.words.insert(call.words.end(), more.begin(), more.end());
    return first_complaint(call);
  };
  EXPECT_EQ(told(""), "");
  EXPECT_EQ(told("", {"--no-snapshot"}),
            "job.yml:3:3: another step takes outputs.artifacts of this one, the folder in which it "
            "runs, and --no-snapshot leaves it no copy of its code to run in\n"
            "  hint: leave out --no-snapshot, or have it write to an output that it declares");
  EXPECT_EQ(told(", outputs: {artifacts: }", {"--no-snapshot"}), "");
}

TEST_F(CodeFront, StepsHaveArtifactsThatTheyDoNotDeclare) {
  files_["job.yml"] =
      "type: pipeline\njobs:\n  a: {command: x, code: .}\n"
      "  b: {command: 'y ${{inputs.run}}', inputs: {run: "
      "'${{parent.jobs.a.outputs.artifacts}}'}}\n";
  Call call = asked({"job.yml"});
  call.record_folder = "/records/1";
  const auto read = read_submit(call);
  ASSERT_TRUE(read && read->pipeline) << first_complaint(call);
  const auto outputs = read->pipeline->steps.front().outputs;
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(outputs.front().path, "/records/1/steps/a/code");
}

TEST_F(CodeFront, ArtifactsOfHostsWithTheirOwnCodeAreToldToBeEmpty) {
  files_["/here/muster.yml"] = "targets:\n  here: {}\n  hosts: {hosts: [n1]}\n";
  const std::string told =
      "the output artifacts will be empty: the job runs in /here/gone itself, not in a copy of it; "
      "have it write what you need to another output";
  const auto is_told = [&](const std::string& job, const Words& more) {
    files_["job.yml"] = job;
    Words words = {"job.yml"};
    words.insert(words.end(), more.begin(), more.end());
    Call call = asked(words);
    call.called = more.front() == "--target" ? "validate" : "submit";
    call.record_folder = "/records/1";
    call.is_file = [](const std::string&) { return false; };
    const auto read = call.called == "submit" ? read_submit(call) : read_validate(call);
    EXPECT_TRUE(read && read->complaints.empty());
    return read && std::ranges::any_of(read->notices,
                                       [&](const std::string& one) { return one.ends_with(told); });
  };
  const std::string job =
      "type: command\ncommand: x\ncode: gone\noutputs: {artifacts: }\ncompute: hosts\n";
  const std::string steps =
      "type: pipeline\njobs:\n  a: {command: x, code: gone, compute: hosts}\n"
      "  b: {command: 'y ${{inputs.run}}', inputs: {run: "
      "'${{parent.jobs.a.outputs.artifacts}}'}}\n";
  const Words for_hosts = {"--target", "hosts"};
  EXPECT_TRUE(is_told(job, for_hosts));
  EXPECT_TRUE(is_told(steps, for_hosts));
  EXPECT_TRUE(is_told(steps, {"--dry-run"}));
  EXPECT_FALSE(is_told(job, {"--dry-run"})) << "who plans it tells";
  EXPECT_FALSE(is_told("type: command\ncommand: x\ncode: gone\ncompute: hosts\n", for_hosts))
      << "nobody asks for it";
  files_["/here/gone"] = "";
  EXPECT_FALSE(is_told(job, for_hosts)) << "it is here, and goes to the hosts";
}

TEST_F(CodeFront, IsMissedWhereItIsHandedOverFromHere) {
  files_["/here/muster.yml"] =
      "targets:\n  here: {}\n  hosts: {hosts: [n1]}\n  queue: {slurm: {partition: p}}\n"
      "  cluster: {kubernetes: {namespace: x, image: y}}\n"
      "  image: {kubernetes: {namespace: x, image: y, code: /code}}\n";
  Call call = asked({"job.yml"});
  call.record_folder = "/records/1";
  call.is_file = [](const std::string&) { return false; };
  const auto told = [&](const std::string& target) {
    files_["job.yml"] = "type: command\ncommand: x\ncode: gone\ncompute: " + target + "\n";
    return first_complaint(call).substr(0, 57);
  };
  const std::string gone = "job.yml:3:7: the folder of the code is not there: 'gone'\n";
  EXPECT_EQ(told("here"), gone);
  EXPECT_EQ(told("queue"), gone);
  EXPECT_EQ(told("cluster"), gone);
  EXPECT_EQ(told("image"), "") << "it has its own";
  EXPECT_EQ(told("hosts"), "") << "they may have it";
}

// What submit takes, validate does not refuse, and what submit refuses validate does, too.
TEST_F(CodeFront, WhichOnlyTheTargetHasIsANoticeOfValidate) {
  files_["/here/muster.yml"] =
      "targets:\n  here: {}\n  hosts: {hosts: [n1, n2]}\n  queue: {slurm: {partition: p}}\n"
      "  cluster: {kubernetes: {namespace: x, image: y}}\n"
      "  image: {kubernetes: {namespace: x, image: y, code: /code}}\n";
  const std::string notice =
      "the folder of the code is not on this machine: 'gone'; target 'TARGET' must have it";
  const auto check = [&](const std::string& target, bool may_have_it) {
    for (const bool in_steps : {false, true}) {
      const std::string job = "{command: python t.py, code: gone, compute: " + target + "}";
      files_["job.yml"] = in_steps ? "type: pipeline\njobs: {one: " + job + "}\n" : job + "\n";
      Call call = asked({"job.yml"});
      call.is_file = [](const std::string&) { return false; };
      call.record_folder = "/records/1";
      const bool is_taken = first_complaint(call).empty();
      EXPECT_EQ(is_taken, may_have_it) << target << ": " << first_complaint(call);
      call.called = "validate";
      const auto read = read_validate(call);
      ASSERT_TRUE(read);
      EXPECT_EQ(read->complaints.empty(), may_have_it) << target;
      std::string told = notice;
      told.replace(told.find("TARGET"), 6, target);
      EXPECT_EQ(std::ranges::count(read->notices, told), may_have_it ? 1 : 0) << target;
    }
  };
  check("hosts", true);
  check("image", true);
  check("here", false);
  check("queue", false);
  check("cluster", false);
}

}  // namespace
}  // namespace muster::front::code_front_test
