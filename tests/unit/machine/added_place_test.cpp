// A source and a carrier that nothing else knows: jobs are planned and carried out with them.
#include "model/carriers.hpp"
#include "plan/plan.hpp"
#include "spec/sources.hpp"
#include "unit/machine/head_fixture.hpp"

namespace muster::machine {
namespace {

// ROSTER lists hosts with blanks between them; a courier starts the agent on each.
constexpr model::Carrier kCourier = {.word = "courier", .opened = true};
constexpr model::HostSource kRoster = {.has_list = true, .carrier = kCourier};

base::Result<std::optional<spec::HostsFound>> in_roster(const spec::HostQuery& asked) {
  const auto names = asked.variable("ROSTER");
  if (!names) return std::nullopt;
  spec::HostsFound found{kRoster, "$ROSTER", {}};
  for (const char name : *names) {
    if (name != ' ') found.hosts.emplace_back().name = name;
  }
  return found;
}

std::optional<std::string_view> variable(std::string_view name) {
  if (name == "ROSTER") return "a b";
  return std::nullopt;
}

class AddedPlace : public HeadFixture {
 protected:
  static model::JobSpec job(std::uint32_t ranks) {
    constexpr std::array<spec::FindHosts, 2> kSources = {spec::typed_list, in_roster};
    model::JobSpec spec;
    spec.wireup = model::Wireup::pmi2;
    spec.apps.front().command = {"program"};
    spec.apps.front().ranks = ranks;
    auto found = spec::find_hosts({.variable = variable}, kSources);
    EXPECT_TRUE(found);
    if (found) spec::take_hosts(spec, std::move(*found));
    return spec;
  }

  static base::Result<model::Plan> plan_of(const model::JobSpec& spec) {
    return plan::inventory(spec, plan::ThisMachine{}).and_then([&](const auto& inventory) {
      return plan::place(spec, inventory);
    });
  }

  void make(const model::JobSpec& spec, model::Plan plan) {
    RunInput input;
    input.spec = spec;
    input.plan = std::move(plan);
    input.kept = {{{}}, {{}}};
    machine_ = std::make_unique<HeadMachine>(std::move(input));
  }
};

TEST_F(AddedPlace, CarriesOutAJob) {
  const model::JobSpec spec = job(2);
  auto plan = plan_of(spec);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->nodes[1].host.carrier, kCourier);
  EXPECT_EQ(plan->nodes[1].host.name, "b");
  make(spec, std::move(*plan));
  EXPECT_EQ(start(), (Words{"open a", "open b"}));
  for (const auto node : {kA, kB}) now(LinkUp{node});
  hear(kA, wire::Welcome{});
  EXPECT_EQ(hear(kB, wire::Welcome{}), (Words{"a Prepare 1", "b Prepare 1"}));
  hear(kA, wire::Prepared{});
  EXPECT_EQ(hear(kB, wire::Prepared{}), (Words{"a Start", "b Start"}));
  for (const auto node : {kA, kB}) {
    hear(node, wire::Started{base::Rank(node.value), 100});
    hear(node, exited(node.value, 0));
    hear(node, wire::Stopped{});
  }
  now(LinkLost{kA, lost("ended")});
  EXPECT_EQ(now(LinkLost{kB, lost("ended")}), Words{"finish"});
  EXPECT_EQ(cause(), "completed");
}

TEST_F(AddedPlace, GetsWhatAnotherMachineGets) {
  const model::JobSpec spec = job(1);
  const auto plan = plan_of(spec);
  ASSERT_TRUE(plan);
  const plan::Kept kept{{{}}, {{{{"A", "1", "shell"}}, {}}}};
  EXPECT_EQ(kept.on(plan->nodes[0].host).front().kept.size(), 1U);
}

TEST_F(AddedPlace, IsNamedByAnError) {
  const auto plan = plan_of(job(3));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().hint, "use -n 2, or add --oversubscribe to share cores");
  EXPECT_EQ(base::to_string(plan.error().place), "$ROSTER");
}

}  // namespace
}  // namespace muster::machine
