// Info keys of a spawn, and the hosts that its ranks go to.
#include "plan/spawned.hpp"

#include <deque>
#include <gtest/gtest.h>

namespace muster::plan {
namespace {

using base::Fault;
using base::NodeIndex;

class Spawned : public testing::Test {
 protected:
  void host(const std::string& name, std::uint32_t slots, std::uint32_t busy,
            std::optional<std::uint32_t> max_slots = {}) {
    model::Host& made = hosts_.emplace_back();
    made.name = name;
    made.slots = slots;
    made.max_slots = max_slots;
    capacities_.push_back({NodeIndex(hosts_.size() - 1), &made, busy});
  }
  // The hosts' names, in the order of ranks.
  std::string placed(const std::vector<SpawnWish>& wishes) {
    const auto nodes = place_spawned(capacities_, wishes);
    if (!nodes) return nodes.error().what;
    std::string names;
    for (const NodeIndex node : *nodes) names += hosts_[node.value].name;
    return names;
  }
  static SpawnWish wish(std::uint32_t ranks, std::vector<std::string> names = {}) {
    SpawnWish made;
    made.ranks = ranks;
    made.hosts = std::move(names);
    return made;
  }

  std::deque<model::Host> hosts_;
  std::vector<SpawnCapacity> capacities_;
};

TEST_F(Spawned, FillFreeSlotsFirstAndThenBurdenTheLeastLoaded) {
  host("a", 2, 2);
  host("b", 3, 1);
  EXPECT_EQ(placed({wish(2)}), "bb");
  EXPECT_EQ(placed({wish(5)}), "bbaba");
}

TEST_F(Spawned, GoRoundTheHostsWhenAsked) {
  host("a", 4, 0);
  host("b", 4, 0);
  SpawnWish turns = wish(3);
  turns.by_node = true;
  EXPECT_EQ(placed({turns}), "aba");
}

TEST_F(Spawned, GoWhereTheyWereAskedFor) {
  host("a", 4, 0);
  host("b", 1, 1);
  host("c", 1, 1);
  EXPECT_EQ(placed({wish(3, {"c", "b"})}), "cbc");
  EXPECT_EQ(placed({wish(1, {"b"}), wish(2)}), "baa");
  EXPECT_EQ(placed({wish(1, {"d"})}), "d is not one of the job's hosts");
}

TEST_F(Spawned, NeverExceedMaxSlots) {
  host("a", 1, 1, 2);
  host("b", 1, 1, 2);
  EXPECT_EQ(placed({wish(2)}), "ab");
  EXPECT_EQ(placed({wish(3)}), "1 more rank than the hosts' max_slots allow");
  EXPECT_EQ(place_spawned(capacities_, std::vector{wish(3)}).error().fault, Fault::no_slots);
}

TEST_F(Spawned, HaveNowhereToGo) {
  EXPECT_EQ(placed({wish(2)}), "2 more ranks than the hosts' max_slots allow");
}

using Info = std::vector<std::pair<std::string, std::string>>;

TEST(SpawnWish, IsReadFromInfoKeys) {
  const auto wish = spawn_wish(
      Info{{"host", "a,b:2"}, {"wdir", "/tmp"}, {"path", "/opt"}, {"map_by", "node"}, {"x", "y"}},
      3);
  ASSERT_TRUE(wish);
  EXPECT_EQ(*wish, (plan::SpawnWish{3, {"a", "b"}, "/tmp", "/opt", true}));
  EXPECT_EQ(*spawn_wish(Info{}, 1), plan::SpawnWish{});
}

TEST(SpawnWish, OfNewHostsIsRefused) {
  for (const char* key : {"hostfile", "add-host", "add-hostfile"}) {
    const auto wish = spawn_wish(Info{{key, "x"}}, 1);
    ASSERT_FALSE(wish) << key;
    EXPECT_NE(wish.error().what.find(key), std::string::npos);
    EXPECT_FALSE(wish.error().hint.empty());
  }
}

}  // namespace
}  // namespace muster::plan
