// The head's share of MPI wire-up: fences, names, MPI_Abort.
#include "model/carriers.hpp"
#include "unit/machine/head_fixture.hpp"

namespace muster::machine {
namespace {

TEST_F(HeadFixture, AFenceIsOverWhenAllHostsHaveBroughtTheirParts) {
  make({model::kOpened, model::kOpened});
  run_all();
  EXPECT_EQ(hear(kB, wire::FenceIn{0, "b"}), Words{});
  EXPECT_EQ(hear(kA, wire::FenceIn{0, "a"}), (Words{"a FenceOut 0 ab", "b FenceOut 0 ab"}));
}

TEST_F(HeadFixture, AbortEndsTheJobWithItsCodeAndMessage) {
  make({model::kOpened, model::kOpened});
  run_all();
  EXPECT_EQ(hear(kB, wire::Aborted{base::Rank(1), 7, "no data"}),
            (Words{"a Stop 15", "b Stop 15"}));
  hear(kB, exited(1, 7));
  EXPECT_EQ(exit_code(), 7);
  const model::RunReport report = machine_->report();
  EXPECT_TRUE(report.aborted);
  EXPECT_EQ(report.abort_message, "no data");
  EXPECT_EQ(report.others_total, 0u);
}

TEST_F(HeadFixture, AbortWithZeroIsStillAFailure) {
  make({model::kLocal});
  run_all();
  hear(kA, wire::Aborted{base::Rank(0), 0, ""});
  EXPECT_EQ(exit_code(), 1);
  EXPECT_EQ(cause(), "rank 0 on a");
}

TEST_F(HeadFixture, AnExitThatCameFirstIsTheCause) {
  make({model::kOpened, model::kOpened});
  run_all();
  hear(kA, exited(0, 3));
  hear(kB, wire::Aborted{base::Rank(1), 7, ""});
  EXPECT_EQ(exit_code(), 3);
  EXPECT_FALSE(machine_->report().aborted);
}

TEST_F(HeadFixture, NamesArePublishedOnceFoundAndTakenBack) {
  make({model::kOpened, model::kOpened});
  run_all();
  const auto ask = [](std::uint64_t id, wire::NameVerb verb) {
    return wire::NameAsk{id, verb, "service", verb == wire::NameVerb::publish ? "port 5" : ""};
  };
  EXPECT_EQ(hear(kB, ask(1, wire::NameVerb::lookup)), Words{"b NameAnswer 1 not found"});
  EXPECT_EQ(hear(kA, ask(2, wire::NameVerb::publish)), Words{"a NameAnswer 2 done"});
  EXPECT_EQ(hear(kA, ask(3, wire::NameVerb::publish)), Words{"a NameAnswer 3 not found"});
  EXPECT_EQ(hear(kB, ask(4, wire::NameVerb::lookup)), Words{"b NameAnswer 4 port 5"});
  EXPECT_EQ(hear(kB, ask(5, wire::NameVerb::unpublish)), Words{"b NameAnswer 5 done"});
  EXPECT_EQ(hear(kB, ask(6, wire::NameVerb::unpublish)), Words{"b NameAnswer 6 not found"});
}

}  // namespace
}  // namespace muster::machine
