// Whether ranks can meet at the address that somebody chose for them.
#include "plan/master_address.hpp"

#include <gtest/gtest.h>

#include "model/carriers.hpp"

namespace muster::plan {
namespace {

model::Plan on(const std::vector<model::Carrier>& carriers) {
  model::Plan plan;
  for (const model::Carrier& carrier : carriers) {
    model::Host host;
    host.carrier = carrier;
    plan.nodes.push_back({host, {}});
  }
  return plan;
}

Kept choosing(const std::string& address) {
  Forwarded app;
  app.kept.push_back({"MASTER_ADDR", address, "-x"});
  return {{app}, {app}};
}

const std::vector<model::Carrier> kTwoHosts = {model::kLocal, model::kOpened};

TEST(MasterAddress, of_each_host_itself_is_refused_where_torchs_store_is_there) {
  model::JobSpec spec;
  spec.torch_store = true;
  for (const char* address : {"127.0.0.1", "127.0.1.1", "localhost", "::1"}) {
    const auto told = check_master_address(spec, on(kTwoHosts), choosing(address));
    ASSERT_FALSE(told) << address;
    EXPECT_EQ(told.error().what, fmt::format("ranks on 2 hosts cannot meet at MASTER_ADDR={}: each "
                                             "host takes it for itself",
                                             address));
    EXPECT_NE(told.error().hint, "");
  }
}

TEST(MasterAddress, of_each_host_itself_is_told_where_it_may_be_meant) {
  const auto told = check_master_address({}, on(kTwoHosts), choosing("127.0.0.1"));
  ASSERT_TRUE(told);
  EXPECT_TRUE(told->starts_with("ranks on 2 hosts cannot meet")) << *told;
}

TEST(MasterAddress, is_fine_on_one_machine_or_elsewhere) {
  model::JobSpec spec;
  spec.torch_store = true;
  for (const auto& [plan, address] :
       {std::pair(on({model::kOpened}), "localhost"), std::pair(on({model::kLocal}), "localhost"),
        std::pair(on({model::kFakeNode, model::kFakeNode}), "127.0.0.1"),
        std::pair(on(kTwoHosts), "10.0.0.1"), std::pair(on(kTwoHosts), "node1")}) {
    const auto told = check_master_address(spec, plan, choosing(address));
    EXPECT_EQ(told.value_or("refused"), "") << address;
  }
  EXPECT_EQ(check_master_address(spec, on(kTwoHosts), {{{}}, {{}}}).value_or("refused"), "");
}

}  // namespace
}  // namespace muster::plan
