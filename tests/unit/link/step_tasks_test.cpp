// Lines and ports of the tasks of a step.
#include "link/step_tasks.hpp"

#include <gtest/gtest.h>
#include <set>

namespace muster::link::step_tasks_test {
namespace {

const model::StepPlace kPlace{"12.0", "a", 3, 2, false};

TEST(StepPorts, AreDifferentAndBelowThoseOfTheKernel) {
  for (int step = 0; step < 2000; ++step) {
    const auto ports = step_ports(fmt::format("{}.{}", step / 7, step % 7));
    EXPECT_EQ(std::set(ports.begin(), ports.end()).size(), kStepPorts);
    for (const std::uint16_t port : ports) EXPECT_TRUE(port >= 10'000 && port < 32'000) << port;
  }
  EXPECT_EQ(step_ports("12.0"), step_ports("12.0"));
  EXPECT_NE(step_ports("12.0"), step_ports("12.1"));
}

TEST(StepLines, SayWhoComesAndHowItEnded) {
  EXPECT_EQ(step_greeting(kPlace, 77), "muster-step 12.0 2 77\n");
  EXPECT_EQ(step_end(kPlace, 243), "muster-step 12.0 ended 243\n");
  EXPECT_EQ(who_greets(kPlace, "muster-step 12.0 2 77"), (StepVisitor{2, 77}));
  EXPECT_EQ(code_of_end(kPlace, "muster-step 12.0 ended 243"), 243);
}

TEST(StepLines, OfOthersAreNothing) {
  for (const char* line : {"", "muster-step 12.0 ", "muster-step 12.0 0 7", "muster-step 12.0 3 7",
                           "muster-step 12.0 2 ", "muster-step 12.0 2", "muster-step 1.0 2 7",
                           "muster-step 12.0 -1 7", "muster-step 12.0 2 x"}) {
    EXPECT_EQ(who_greets(kPlace, line), std::nullopt) << line;
  }
  for (const char* line :
       {"", "muster-step 12.0 ended ", "muster-step 12.0 ended 256", "muster-step 12.0 ended x",
        "muster-step 12.1 ended 0", "HTTP/1.1 400"}) {
    EXPECT_EQ(code_of_end(kPlace, line), std::nullopt) << line;
  }
}

}  // namespace
}  // namespace muster::link::step_tasks_test
