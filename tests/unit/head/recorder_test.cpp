// When the record of a run is made.
#include "head/recorder.hpp"

#include <filesystem>
#include <gtest/gtest.h>

#include "unit/folder.hpp"

namespace muster::head::recorder_test {
namespace {

class Made : public testing::Test {
 protected:
  [[nodiscard]] Recorder recorder() const {
    RecorderOptions options;
    options.record.folder = folder_;
    options.hosts = {"here"};
    options.plan = [] { return std::string("{}"); };
    return Recorder(std::move(options));
  }
  [[nodiscard]] bool is_there() const { return std::filesystem::exists(folder_ + "/spec.json"); }

  static constexpr model::RankStarted kStarted{base::Rank{0}, base::NodeIndex{0}, 1};

  const unit::Folder records_;
  const std::string folder_ = records_.path() + "/20261121-212530.123-kufa";
};

TEST_F(Made, OnceAllRanksRun) {
  Recorder made = recorder();
  made.hear(kStarted);
  EXPECT_FALSE(is_there());
  made.hear(model::PhaseReached{model::Phase::started});
  EXPECT_TRUE(is_there());
}

TEST_F(Made, OnceTheFirstRunsIfRanksWriteThere) {
  Recorder made = recorder();
  made.begin_with_ranks("mlruns");
  EXPECT_FALSE(is_there());
  std::filesystem::create_directories(folder_ + "/mlruns");
  made.hear(kStarted);
  EXPECT_TRUE(is_there());
  EXPECT_FALSE(made.failure());
}

}  // namespace
}  // namespace muster::head::recorder_test
