// SweepOverseer: what trials report is read in turns that end, however much it is.
#include "pipeline/sweep_overseer.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <poll.h>

#include "unit/folder.hpp"

namespace muster::pipeline {
namespace {

class SweepOverseerTest : public testing::Test {
 protected:
  // Of two trials.
  SweepPlan plan(bool from_output) {
    SweepPlan plan;
    sweep::Parameter rate{"lr"};
    rate.options = {{"1", {}}, {"2", {}}};
    plan.settings.space = {rate};
    plan.settings.sampling.method = sweep::Method::grid;
    plan.metric = "acc";
    plan.from_output = from_output;
    plan.names = {"trial_0", "trial_1"};
    plan.record = [this](std::size_t trial) { return of(trial); };
    plan.metrics = [this](std::size_t trial) { return of(trial) + "/mlruns"; };
    plan.streams = [this](std::size_t trial) { return of(trial) + "/streams"; };
    return plan;
  }

  std::string of(std::size_t trial) const {
    return folder_.path() + "/trial_" + std::to_string(trial);
  }

  static void append(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::app) << text;
  }

  // As the conductor does: it waits as long as it is told, and looks.
  static Orders turn(SweepOverseer& overseer) {
    ::poll(nullptr, 0, overseer.patience().value_or(0));
    return overseer.look();
  }

  unit::Folder folder_;
};

// Each turn, more comes than one turn reads.
TEST_F(SweepOverseerTest, ATrialThatReportsForEverLetsTheLoopTurn) {
  std::string much;
  while (much.size() < 2 * store::Allowance().bytes) much += "acc=1\n";
  SweepOverseer overseer(plan(true));
  overseer.started(0);
  overseer.started(1);
  const std::string own = of(0) + "/streams/rank.0/stdout";
  append(of(1) + "/streams/rank.0/stdout", "acc=0.5\n");
  append(own, much);
  (void)overseer.look();
  overseer.left(0);
  EXPECT_FALSE(overseer.is_read(0));
  EXPECT_EQ(overseer.patience(), 0);  // it is waited for
  int turns = 0;
  for (; !overseer.is_read(0) && turns < 1000; ++turns) {
    append(own, much);  // some process that is not the trial's
    (void)overseer.look();
  }
  EXPECT_LT(turns, 100);
  overseer.ended(0, true);
  EXPECT_EQ(overseer.note(0), "acc 1 with lr=1");
  overseer.left(1);
  EXPECT_TRUE(overseer.is_read(1));
  overseer.ended(1, true);
  EXPECT_EQ(overseer.note(1), "acc 0.5 with lr=2");
}

TEST_F(SweepOverseerTest, AnInterruptWaitsForNoReading) {
  SweepOverseer overseer(plan(false));
  overseer.started(0);
  const std::string own = of(0) + "/mlruns/0/one/metrics/acc";
  std::string much = "10 2 0\n";
  while (much.size() < 2 * store::Allowance().bytes) much += "10 1 0\n";
  append(own, much);
  overseer.left(0);
  EXPECT_FALSE(overseer.is_read(0));
  overseer.interrupted();
  EXPECT_TRUE(overseer.is_read(0));
}

TEST_F(SweepOverseerTest, WhatIsSkippedIsSaid) {
  SweepOverseer overseer(plan(false));
  overseer.started(0);
  const std::string own = of(0) + "/mlruns/0/one/metrics/acc";
  append(own, "10 1 0\n");
  (void)turn(overseer);
  std::filesystem::resize_file(own, std::uint64_t{4} << 40);
  (void)turn(overseer);
  overseer.left(0);
  while (!overseer.is_read(0)) (void)turn(overseer);
  overseer.ended(0, true);
  const Orders orders = turn(overseer);
  ASSERT_EQ(orders.say.size(), 1U);
  EXPECT_TRUE(orders.say.front().starts_with("trial_0 wrote faster")) << orders.say.front();
}

}  // namespace
}  // namespace muster::pipeline
