// Where the processes of a job file find what stands in for Azure ML's SDK.
#include <algorithm>
#include <gtest/gtest.h>

#include "front/job/front.hpp"
#include "unit/front/submit_call.hpp"

namespace muster::front::python_path_test {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kPackage = "/usr/lib/python3.11/dist-packages/muster/in_ranks";

class PythonPath : public SubmitCall {
 protected:
  // What comes behind that of the job's processes.
  std::string of(const std::string& job, const Words& words = {},
                 const std::string& shell = "HOME=/home/u") {
    files_["job.yml"] = job;
    Call call = asked({"job.yml"});
    call.words.insert(call.words.end(), words.begin(), words.end());
    call.environment.push_back(shell);
    call.stand_ins = stand_ins_;
    call.record_folder = "/records/1";
    const auto read = read_submit(call);
    if (!read || !read->request) return first_complaint(call);
    data_ = read->request->data;
    const model::App& app = read->request->spec.apps.front();
    exports_ = app.exports;
    return app.python_path;
  }

  std::string stand_ins_{kPackage};
  std::vector<DataPath> data_;
  std::vector<model::EnvSetting> exports_;
};

TEST_F(PythonPath, StandInsComeBehindWhatTheUserNames) {
  EXPECT_EQ(of("command: x\n"), kPackage);
  EXPECT_EQ(of("command: x\n", {}, "PYTHONPATH=/own"), kPackage);
  EXPECT_EQ(std::ranges::count(exports_, "PYTHONPATH", &model::EnvSetting::name), 0);
  EXPECT_EQ(of("command: x\nenvironment_variables: {PYTHONPATH: /job}\n"), kPackage);
  EXPECT_EQ(std::ranges::count(exports_, model::EnvSetting{"PYTHONPATH", "/job"}), 1);
  EXPECT_EQ(of("command: x\n", {"--python-path", "other"}), "/here/other");
  EXPECT_TRUE(data_.empty());
}

TEST_F(PythonPath, NothingIsSaidWhereTheyAreNotInstalledOrNotWanted) {
  EXPECT_EQ(of("command: x\n", {"--unset", "PYTHONPATH"}), "");
  EXPECT_EQ(of("command: x\n", {"--image", "busybox"}), "");
  stand_ins_ = "";
  EXPECT_EQ(of("command: x\n"), "");
}

TEST_F(PythonPath, HostsThatGetTheCodeMayGetThePackage) {
  const std::string own = "/records/1/python/muster";
  EXPECT_EQ(of("command: x\ncode: .\n", {"-H", "a"}), own + "/in_ranks:" + stand_ins_);
  ASSERT_EQ(data_.size(), 1);
  EXPECT_EQ(data_.front().path, own);
  EXPECT_EQ(data_.front().from, "/usr/lib/python3.11/dist-packages/muster");
  EXPECT_EQ(of("command: x\ncode: .\n"), kPackage);
  EXPECT_EQ(of("command: x\n", {"-H", "a"}), kPackage);
  EXPECT_EQ(of("command: x\ncode: .\n", {"-H", "a", "--python-path", "other"}), "/here/other");
  EXPECT_TRUE(data_.empty());
}

}  // namespace
}  // namespace muster::front::python_path_test
