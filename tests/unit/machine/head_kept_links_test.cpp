// Heads that come one after the other, over the same links.
#include <gtest/gtest.h>

#include "model/carriers.hpp"
#include "unit/machine/head_fixture.hpp"

namespace muster::machine::head_kept_links_test {
namespace {

using base::NodeIndex;
using base::RunIndex;

class KeptLinks : public HeadFixture {
 protected:
  KeptLinks() { keeps_links_ = true; }

  Words end(NodeIndex node, std::uint32_t rank, int code) {
    hear(node, exited(rank, code));
    return hear(node, wire::Stopped{});
  }
};

TEST_F(KeptLinks, AreNotAwaited) {
  make({model::kOpened, model::kFakeNode});
  run_all();
  EXPECT_EQ(end(kA, 0, 0), Words{});
  EXPECT_EQ(end(kB, 1, 0),
            (Words{"a Suspend", "keep a with run 1", "b Suspend", "keep b with run 1", "finish"}));
  EXPECT_TRUE(machine_->finished());
  EXPECT_EQ(exit_code(), 0);
}

TEST_F(KeptLinks, AlsoAfterAFailure) {
  make({model::kOpened, model::kOpened});
  run_all();
  end(kA, 0, 3);
  EXPECT_EQ(end(kB, 1, 0).back(), "finish");
  EXPECT_EQ(exit_code(), 3);
}

TEST_F(KeptLinks, NotThoseThatAreTiedToTheirHead) {
  make({model::kOpened, model::kStep});
  run_all();
  end(kA, 0, 0);
  EXPECT_EQ(end(kB, 1, 0), (Words{"a Suspend", "keep a with run 1", "b Bye"}));
  EXPECT_FALSE(machine_->finished());
  now(LinkLost{kB, lost("gone")});
  EXPECT_TRUE(machine_->finished());
}

TEST_F(KeptLinks, NotOneThatWasLost) {
  make({model::kOpened, model::kOpened});
  run_all();
  now(LinkLost{kB, lost("b: the link broke")});
  EXPECT_EQ(end(kA, 0, 0), (Words{"a Suspend", "keep a with run 1", "finish"}));
}

TEST_F(KeptLinks, NotByARunThatDoesNotAskForIt) {
  keeps_links_ = false;
  make({model::kOpened});
  run_all();
  EXPECT_EQ(end(kA, 0, 0), (Words{"a Bye"}));
}

TEST_F(KeptLinks, AHeadThatUsesThemHasANumberAboveTheirs) {
  number_ = RunIndex(4);
  make({model::kOpened});
  EXPECT_EQ(machine_->first(), RunIndex(4));
  run_all();
  EXPECT_EQ(end(kA, 0, 0), (Words{"a Suspend", "keep a with run 4", "finish"}));
  EXPECT_EQ(machine_->last(), RunIndex(4));
}

}  // namespace
}  // namespace muster::machine::head_kept_links_test
