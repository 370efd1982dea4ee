// Shares of devices, and what is said when there are too few.
#include "plan/devices.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "plan/plan.hpp"
#include "unit/plan/dialects_of.hpp"

namespace muster::plan::devices_test {
namespace {

const model::Devices kFour{"CUDA_VISIBLE_DEVICES", {"0", "GPU-a", "2", "3"}};

TEST(Devices, are_dealt_in_a_row) {
  EXPECT_EQ(share_of(kFour, 0, 2, 2), "0,GPU-a");
  EXPECT_EQ(share_of(kFour, 1, 2, 2), "2,3");
  EXPECT_EQ(share_of(kFour, 3, 4, 1), "3");
  EXPECT_EQ(share_of(kFour, 0, 5, 1), "");
}

TEST(Devices, of_a_machine_are_parted_among_fake_nodes) {
  EXPECT_EQ(part_of(kFour, 0, 3).ids, std::vector<std::string>({"0"}));
  EXPECT_EQ(part_of(kFour, 2, 3).ids, std::vector<std::string>({"2", "3"}));
}

struct Job {
  model::JobSpec spec;
  model::Plan plan;
  Rendezvous where;
};

Job job(std::uint32_t ranks, std::uint32_t each, std::vector<model::Devices> devices) {
  Job one;
  one.spec.apps.front().command = {"app"};
  one.spec.apps.front().ranks = ranks;
  one.spec.gpus_per_rank = each;
  auto placed = place(one.spec, *inventory(one.spec, {{8}, "box", {}, {}}));
  one.plan = *placed;
  model::HostFacts facts;
  facts.devices = std::move(devices);
  one.where = rendezvous(one.plan, std::vector<std::optional<model::HostFacts>>{facts});
  return one;
}

std::string value(const Job& one, std::uint32_t rank, std::string_view name) {
  for (const auto& variable :
       dialects(one.plan, one.where, {}, "job", one.spec, base::Rank(rank))) {
    if (variable.name == name) return variable.value;
  }
  return "not set";
}

TEST(Devices, reach_each_rank_by_the_variable_of_their_maker) {
  const Job one = job(2, 2, {kFour, {"ZE_AFFINITY_MASK", {"0"}}});
  EXPECT_TRUE(check_devices(one.spec, one.plan, one.where));
  EXPECT_EQ(value(one, 1, "CUDA_VISIBLE_DEVICES"), "2,3");
  EXPECT_EQ(value(one, 1, "ZE_AFFINITY_MASK"), "not set");  // the display's, too few to share
}

TEST(Devices, are_left_alone_unless_asked_for) {
  EXPECT_EQ(value(job(2, 0, {kFour}), 0, "CUDA_VISIBLE_DEVICES"), "not set");
}

TEST(Devices, that_are_too_few_are_an_error) {
  const Job one = job(3, 2, {kFour});
  const auto checked = check_devices(one.spec, one.plan, one.where);
  ASSERT_FALSE(checked);
  EXPECT_EQ(base::to_string(checked.error()),
            "box has 4 devices, but its 3 ranks need 2 each\n  hint: 2 ranks would fit there");
  const Job none = job(1, 1, {});
  EXPECT_EQ(base::to_string(check_devices(none.spec, none.plan, none.where).error()),
            "box has 0 devices, but its 1 rank needs 1 each\n"
            "  hint: to run without devices, ask for none");
}

model::Devices cuda(std::vector<std::string> ids) {
  return {"CUDA_VISIBLE_DEVICES", std::move(ids)};
}

std::string leave(Job& one, std::vector<std::string> claimed) {
  const std::vector<model::Devices> others{cuda(std::move(claimed))};
  return leave_claimed(one.spec, one.plan, one.where, base::NodeIndex(0), others);
}

std::vector<model::Devices> claims(const Job& one) {
  return device_claims(one.spec, one.plan, one.where, base::NodeIndex(0));
}

TEST(Devices, of_other_jobs_are_as_if_they_were_not_there) {
  Job one = job(2, 1, {kFour});
  EXPECT_EQ(claims(one), std::vector{cuda({"0", "GPU-a"})});
  EXPECT_EQ(leave(one, {"GPU-a", "7"}), "device GPU-a on box: in use by another job of muster");
  EXPECT_EQ(value(one, 1, "CUDA_VISIBLE_DEVICES"), "2");
  EXPECT_EQ(claims(one), std::vector{cuda({"0", "2"})});
  EXPECT_EQ(leave(one, {"0", "3"}), "devices 0,3 on box: in use by another job of muster");
  EXPECT_EQ(base::to_string(check_devices(one.spec, one.plan, one.where).error()),
            "box has 4 devices, 3 of them in use by other jobs of muster, but its 2 ranks need 1 "
            "each\n  hint: 1 rank would fit there; --share-gpus deals out what other jobs "
            "use, too");
  Job last = job(1, 1, {cuda({"0"})});
  EXPECT_EQ(leave(last, {"0"}), "device 0 on box: in use by another job of muster");
  EXPECT_EQ(base::to_string(check_devices(last.spec, last.plan, last.where).error()),
            "box has 1 device, in use by another job of muster, but its 1 rank needs 1 each\n"
            "  hint: --share-gpus deals out what other jobs use, too");
}

TEST(Devices, of_other_users_are_told_with_them) {
  Job one = job(2, 1, {kFour});
  const std::vector<model::Devices> others{
      {"CUDA_VISIBLE_DEVICES", {"0", "GPU-a", "2"}, {1001, 1002}}};
  (void)leave_claimed(one.spec, one.plan, one.where, base::NodeIndex(0), others);
  EXPECT_EQ(check_devices(one.spec, one.plan, one.where).error().what,
            "box has 4 devices, 3 of them in use by other jobs of muster (uid 1001, 1002), but "
            "its 2 ranks need 1 each");
}

TEST(Devices, that_are_shared_are_neither_left_nor_claimed) {
  Job one = job(2, 2, {kFour});
  one.spec.share_gpus = true;
  EXPECT_EQ(leave(one, {"0"}), "");
  EXPECT_EQ(value(one, 0, "CUDA_VISIBLE_DEVICES"), "0,GPU-a");
  EXPECT_TRUE(claims(one).empty());
}

TEST(Devices, that_were_named_are_claimed_where_there_are_any) {
  Job one = job(2, 0, {kFour});
  EXPECT_TRUE(claims(one).empty());
  EXPECT_EQ(leave(one, {"0"}), "");
  one.plan.nodes.front().host.visible = "3,2";
  EXPECT_EQ(claims(one), std::vector{cuda({"2", "3"})});
  Job none = job(2, 0, {});
  none.plan.nodes.front().host.visible = "0";
  EXPECT_TRUE(claims(none).empty());
}

TEST(Devices, of_which_only_a_number_was_named_are_those_of_no_other_job) {
  Job one = job(2, 1, {cuda({"0", "1", "2", "3"}), {"ROCR_VISIBLE_DEVICES", {"0", "1"}}});
  one.spec.deepspeed = true;
  one.plan.nodes.front().host.visible = "0,2,3,5";
  const auto seen = [&](std::uint32_t rank) { return value(one, rank, "CUDA_VISIBLE_DEVICES"); };
  EXPECT_EQ(seen(0), "0,2");
  EXPECT_EQ(leave(one, {"1"}), "") << "none that was named";
  EXPECT_EQ(leave(one, {"0", "1"}), "device 0 on box: in use by another job of muster");
  EXPECT_EQ(seen(0), "2,3") << "a rank sees those of all";
  EXPECT_EQ(seen(1), "2,3");
  EXPECT_EQ(value(one, 1, "ROCR_VISIBLE_DEVICES"), "not set");
  EXPECT_EQ(claims(one), std::vector{cuda({"2", "3"})});
  const std::vector<model::Devices> next{cuda({"2", "3"})};
  EXPECT_TRUE(deals_any(one.spec, one.plan, one.where, base::NodeIndex(0), next));
  EXPECT_TRUE(check_devices(one.spec, one.plan, one.where));
  EXPECT_EQ(leave(one, {"2", "3"}), "devices 2,3 on box: in use by another job of muster");
  EXPECT_FALSE(deals_any(one.spec, one.plan, one.where, base::NodeIndex(0), next));
  EXPECT_EQ(base::to_string(check_devices(one.spec, one.plan, one.where).error()),
            "box has 4 devices, 3 of them in use by other jobs of muster, but its 2 ranks need 1 "
            "each\n  hint: 1 rank would fit there; --share-gpus deals out what other jobs "
            "use, too");
}

TEST(Devices, that_a_host_does_not_have_may_be_rehearsed_with) {
  Job one = job(2, 1, {});
  one.plan.nodes.front().host.visible = "0,1";
  EXPECT_TRUE(check_devices(one.spec, one.plan, one.where));
  EXPECT_EQ(value(one, 1, "CUDA_VISIBLE_DEVICES"), "0,1");
}

// Parts of one device, as NVIDIA's driver calls them.
TEST(Devices, that_are_parts_are_dealt_by_their_names) {
  const std::string a = "MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f";
  const std::string b = "MIG-GPU-b8ea3855-276c-c9cb-b366-c6fa655957c5/1/0";
  const std::string c = "MIG-GPU-b8ea3855-276c-c9cb-b366-c6fa655957c5/2/0";
  Job own = job(2, 1, {cuda({a, b, c})});
  EXPECT_EQ(value(own, 0, "CUDA_VISIBLE_DEVICES"), a);
  EXPECT_EQ(value(own, 1, "CUDA_VISIBLE_DEVICES"), b);
  EXPECT_EQ(leave(own, {a}), "device " + a + " on box: in use by another job of muster");
  EXPECT_EQ(value(own, 1, "CUDA_VISIBLE_DEVICES"), c);
  Job together = job(2, 1, {cuda({a, b, c})});
  together.plan.nodes.front().host.visible = fmt::format("{},{},{}", a, b, c);
  EXPECT_EQ(value(together, 1, "CUDA_VISIBLE_DEVICES"), fmt::format("{},{}", a, b));
  EXPECT_EQ(leave(together, {b}), "device " + b + " on box: in use by another job of muster");
  EXPECT_EQ(value(together, 1, "CUDA_VISIBLE_DEVICES"), fmt::format("{},{}", a, c));
}

TEST(Devices, of_a_display_are_not_claimed_when_they_are_too_few) {
  const Job one = job(2, 1, {kFour, {"ZE_AFFINITY_MASK", {"0"}}});
  EXPECT_EQ(claims(one), std::vector{cuda({"0", "GPU-a"})});
}

std::string told(const Job& one, const Forwarded& kept = {}) {
  const std::vector<Forwarded> all(1, kept);
  return shared_devices(one.spec, one.plan, one.where, {all, all});
}

TEST(Devices, that_ranks_share_are_told) {
  EXPECT_EQ(told(job(8, 0, {kFour})),
            "8 ranks on box see 4 GPUs, so some share one; 4 ranks there would not");
  EXPECT_EQ(told(job(2, 0, {{"CUDA_VISIBLE_DEVICES", {"1", "1"}}})),
            "2 ranks on box see 1 GPU, so some share one; 1 rank there would not");
  EXPECT_EQ(told(job(4, 0, {kFour})), "");
  EXPECT_EQ(told(job(4, 0, {})), "");
  EXPECT_EQ(told(job(1, 0, {{"CUDA_VISIBLE_DEVICES", {"0"}}})), "");
  EXPECT_EQ(told(job(2, 1, {kFour})), "");
  EXPECT_EQ(told(job(2, 0, {{"ZE_AFFINITY_MASK", {"0"}}})), "");  // the display's
}

TEST(Devices, that_the_user_leaves_to_all_ranks_are_told_too) {
  Forwarded kept;
  kept.kept.push_back({"CUDA_VISIBLE_DEVICES", "3", "-x"});
  EXPECT_EQ(told(job(2, 0, {kFour}), kept),
            "2 ranks on box see 1 GPU, so some share one; 1 rank there would not");
}

}  // namespace
}  // namespace muster::plan::devices_test
