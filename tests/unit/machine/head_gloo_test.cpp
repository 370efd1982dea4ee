// A job of horovodrun: the store is served before any host is told of its ranks.
#include "model/carriers.hpp"
#include "unit/machine/head_fixture.hpp"

namespace muster::machine {
namespace {

wire::Welcome seen(const std::string& host, const std::string& head) {
  wire::Welcome message;
  message.facts.reached_at = host;
  message.facts.head_address = head;
  return message;
}

class HeadGloo : public HeadFixture {
 protected:
  void greet(const std::string& interface, const std::string& head) {
    spec_.gloo = {interface};
    make({model::kOpened, model::kOpened});
    start();
    now(LinkUp{kA});
    now(LinkUp{kB});
    hear(kA, seen("10.0.0.1", head));
    effects_ = hear(kB, seen("10.0.0.2", head));
  }

  Words effects_;
};

TEST_F(HeadGloo, ServesWhereHostsSawThisMachine) {
  greet("", "10.0.0.9");
  EXPECT_EQ(effects_, Words{"serve gloo on '' at '10.0.0.9' for 4 scopes of 10.0.0.1 10.0.0.2"});
  EXPECT_EQ(now(GlooServed{GlooServed::At{"10.0.0.9", 4000}}),
            (Words{"a Prepare 1", "b Prepare 1"}));
}

TEST_F(HeadGloo, ServesOnTheInterfaceAskedFor) {
  greet("ib0", "");
  EXPECT_EQ(effects_, Words{"serve gloo on 'ib0' at '' for 4 scopes of 10.0.0.1 10.0.0.2"});
}

TEST_F(HeadGloo, NeedsAnAddressForOthers) {
  greet("", "127.0.0.1");
  EXPECT_EQ(cause(), "no host has reported the address of this machine, at which ranks would meet");
}

TEST_F(HeadGloo, EndsWhenTheStoreCannotBeServed) {
  greet("", "10.0.0.9");
  now(GlooServed{tl::unexpected(lost("cannot listen"))});
  EXPECT_EQ(cause(), "cannot listen");
}

TEST_F(HeadGloo, AStoreThatComesTooLateChangesNothing) {
  greet("", "10.0.0.9");
  now(UserSignal{15});
  EXPECT_EQ(now(GlooServed{GlooServed::At{"10.0.0.9", 4000}}), Words());
  EXPECT_EQ(cause(), "signal 15");
}

}  // namespace
}  // namespace muster::machine
