// PmiWorld: requests of the tasks of one or two hosts, replies and effects.
#include <gtest/gtest.h>

#include "pmi/pmi_world.hpp"

namespace muster::pmi {
namespace {

constexpr base::Rank kA{4}, kB{5};

WorldSpec spec() {
  WorldSpec spec;
  spec.kvs_name = "K";
  spec.size = 6;
  spec.universe = 16;
  spec.mapping = "(vector,(0,3,2))";
  spec.tasks = {{kA, 0}, {kB, 1}};
  return spec;
}

// The only effect, which is an answer to this task.
Reply told(PmiWorld& world, base::Rank task, const Request& request) {
  const Effects effects = world.handle(task, request);
  EXPECT_EQ(effects.size(), 1u);
  const auto* answer = effects.empty() ? nullptr : std::get_if<Answer>(&effects.front());
  EXPECT_TRUE(answer && answer->task == task);
  return answer ? answer->reply : Failed{"no answer"};
}

FenceIn fence(PmiWorld& world) {
  EXPECT_EQ(world.handle(kA, Barrier{}), Effects{});
  const Effects effects = world.handle(kB, Barrier{});
  EXPECT_EQ(effects.size(), 1u);
  return std::get<FenceIn>(effects.at(0));
}

const Effects kBothDone = {Answer{kA, Done{}}, Answer{kB, Done{}}};

TEST(World, TellsWhoAndWhere) {
  PmiWorld world(spec());
  EXPECT_EQ(told(world, kB, Init{1, 1}), Reply{Done{}});
  EXPECT_EQ(told(world, kB, Init{3, 0}), Reply{Failed{"version_not_supported"}});
  EXPECT_EQ(told(world, kB, GetMaxes{}), Reply{Done{}});
  EXPECT_EQ(told(world, kB, GetAppnum{}), Reply{Number{1}});
  EXPECT_EQ(told(world, kB, GetKvsName{}), Reply{Text{"K"}});
  EXPECT_EQ(told(world, kB, GetUniverseSize{}), Reply{Number{16}});
  EXPECT_EQ(told(world, kB, GetJobAttribute{"universeSize"}), Reply{Text{"16"}});
  EXPECT_EQ(told(world, kB, GetJobAttribute{"PMI_process_mapping"}), Reply{Text{spec().mapping}});
  EXPECT_EQ(told(world, kB, Get{"K", "PMI_process_mapping"}), Reply{Text{spec().mapping}});
  EXPECT_EQ(told(world, kB, SingletonInit{}), Reply{Text{"K"}});
  EXPECT_EQ(told(world, kB, Unsupported{}), Reply{Failed{"not_supported"}});
}

// As under Hydra: MPICH learns by itself then which ranks share a host.
TEST(World, AMappingThatIsTooLongIsLeftOut) {
  WorldSpec long_one = spec();
  long_one.mapping = "(vector" + std::string(kValueMax, '0') + ")";
  PmiWorld world(long_one);
  EXPECT_EQ(told(world, kB, GetJobAttribute{"PMI_process_mapping"}), Reply{NotFound{}});
  EXPECT_EQ(told(world, kB, Get{"K", "PMI_process_mapping"}), Reply{NotFound{}});
}

// Whatever PMI_RANK a wrapper has put into its environment: the descriptor counts.
TEST(World, TheRankIsThatOfTheDescriptor) {
  PmiWorld world(spec());
  EXPECT_EQ(told(world, kB, FullInit{0}), (Reply{Identity{5, 6, 1, ""}}));
  EXPECT_EQ(told(world, kA, PortInit{9}), (Reply{Identity{4, 6, 0, ""}}));
}

TEST(World, UnknownUniverseAndMapping) {
  WorldSpec bare = spec();
  bare.universe = 0;
  bare.mapping.clear();
  PmiWorld world(bare);
  EXPECT_EQ(told(world, kA, GetUniverseSize{}), Reply{Number{-1}});
  EXPECT_EQ(told(world, kA, GetJobAttribute{"universeSize"}), Reply{NotFound{}});
  EXPECT_EQ(told(world, kA, Get{"", "PMI_process_mapping"}), Reply{NotFound{}});
  bare.mapping = std::string(kValueMax + 1, '(');
  PmiWorld too_many_blocks(bare);
  EXPECT_EQ(told(too_many_blocks, kA, Get{"", "PMI_process_mapping"}), Reply{NotFound{}});
}

TEST(World, ASpawnedWorldFindsWhatWasPutForIt) {
  WorldSpec child = spec();
  child.spawner = "K0";
  child.preput = {{"PARENT_ROOT_PORT_NAME", "tag#0$"}};
  PmiWorld world(child);
  EXPECT_EQ(told(world, kA, FullInit{}), (Reply{Identity{4, 6, 0, "K0"}}));
  EXPECT_EQ(told(world, kA, Get{"K", "PARENT_ROOT_PORT_NAME"}), Reply{Text{"tag#0$"}});
}

TEST(World, PutsAreSeenByOthersAfterTheFence) {
  PmiWorld world(spec());
  EXPECT_EQ(told(world, kA, Put{"K", "k", "v"}), Reply{Done{}});
  EXPECT_EQ(told(world, kA, Get{"K", "k"}), Reply{Text{"v"}});
  EXPECT_EQ(told(world, kB, Get{"K", "k"}), Reply{NotFound{}});
  const FenceIn in = fence(world);
  EXPECT_EQ(in.sequence, 0u);
  EXPECT_EQ(world.fence_out(0, in.blob).value(), kBothDone);
  EXPECT_EQ(told(world, kB, Get{"K", "k"}), Reply{Text{"v"}});
}

TEST(World, OnlyWhatIsNewTravels) {
  PmiWorld world(spec());
  EXPECT_EQ(told(world, kA, Put{"", "k", "v"}), Reply{Done{}});
  const FenceIn first = fence(world);
  EXPECT_NE(first.blob, "");
  ASSERT_TRUE(world.fence_out(0, first.blob));
  const FenceIn second = fence(world);
  EXPECT_EQ(second, (FenceIn{1, ""}));
  EXPECT_EQ(world.fence_out(1, "").value(), kBothDone);
}

TEST(World, OfTwoPutsThatOfTheHigherRankCounts) {
  PmiWorld world(spec());
  EXPECT_EQ(told(world, kB, Put{"", "k", "of b"}), Reply{Done{}});
  EXPECT_EQ(told(world, kA, Put{"", "k", "of a"}), Reply{Done{}});
  const FenceIn in = fence(world);
  ASSERT_TRUE(world.fence_out(0, in.blob));
  EXPECT_EQ(told(world, kA, Get{"", "k"}), Reply{Text{"of b"}});
}

TEST(World, ValuesOfOtherHosts) {
  WorldSpec other = spec();
  other.tasks = {{base::Rank(0), 0}};
  PmiWorld here(spec()), there(other);
  EXPECT_EQ(told(there, base::Rank(0), Put{"K", "there", "t"}), Reply{Done{}});
  const FenceIn in = fence(here);
  const Effects effects = there.handle(base::Rank(0), Barrier{});
  const std::string all = std::get<FenceIn>(effects.at(0)).blob + in.blob;
  EXPECT_EQ(here.fence_out(0, all).value(), kBothDone);
  EXPECT_EQ(told(here, kB, Get{"K", "there"}), Reply{Text{"t"}});
}

TEST(World, AnotherStoreIsNotHere) {
  PmiWorld world(spec());
  EXPECT_EQ(told(world, kA, Put{"other", "k", "v"}), Reply{Failed{"kvs_not_found"}});
  EXPECT_EQ(told(world, kA, Get{"other", "k"}), Reply{Failed{"kvs_not_found"}});
}

TEST(World, PutsAreBounded) {
  PmiWorld world(spec());
  const std::string value(kValueMax, 'v');
  Reply last = Done{};
  std::size_t puts = 0;
  for (; last == Reply{Done{}} && puts < kTaskPutsMax; ++puts)
    last = told(world, kA, Put{"", std::to_string(puts), value});
  EXPECT_EQ(last, Reply{Failed{"no_room"}});
  EXPECT_LE((puts - 1) * kValueMax, kTaskPutsMax);
  EXPECT_EQ(told(world, kB, Put{"", "k", "v"}), Reply{Done{}});
}

TEST(World, PutsOfAHostAreBoundedByWhatAFenceCanCarry) {
  WorldSpec many = spec();
  many.tasks.clear();
  for (std::uint32_t rank = 0; rank < 16; ++rank) many.tasks.push_back({base::Rank(rank), 0});
  PmiWorld world(many);
  const std::string value(kValueMax, 'v');
  for (std::size_t puts = 0; puts < 3 * kTaskPutsMax / kValueMax; ++puts)
    for (const LocalTask& task : many.tasks)
      static_cast<void>(world.handle(task.rank, Put{"", std::to_string(puts), value}));
  Effects last;
  for (const LocalTask& task : many.tasks) last = world.handle(task.rank, Barrier{});
  const std::string& blob = std::get<FenceIn>(last.at(0)).blob;
  EXPECT_GT(blob.size(), kHostPutsMax);
  EXPECT_LT(blob.size(), kHostPutsMax + 2 * kValueMax);
  EXPECT_LT(blob.size(), kBlobMax);
}

TEST(World, AFenceThatIsNotOpenIsNotClosed) {
  PmiWorld world(spec());
  EXPECT_FALSE(world.fence_out(0, ""));
  EXPECT_EQ(world.handle(kA, Barrier{}), Effects{});
  EXPECT_FALSE(world.fence_out(0, ""));
  EXPECT_EQ(world.handle(kB, Barrier{}).size(), 1u);
  EXPECT_FALSE(world.fence_out(1, ""));
  EXPECT_FALSE(world.fence_out(0, "?"));
  EXPECT_EQ(world.fence_out(0, "").value(), kBothDone);
  EXPECT_FALSE(world.fence_out(0, ""));
}

TEST(World, BarriersOfSomeAreRefused) {
  PmiWorld world(spec());
  EXPECT_EQ(told(world, kA, Barrier{"0,1"}), Reply{Failed{"groups_are_not_supported"}});
  EXPECT_EQ(world.handle(kA, Barrier{"WORLD"}), Effects{});
}

TEST(World, NodeAttributes) {
  PmiWorld world(spec());
  EXPECT_EQ(told(world, kA, GetNodeAttribute{"k", false}), Reply{NotFound{}});
  EXPECT_EQ(world.handle(kA, GetNodeAttribute{"k", true}), Effects{});
  EXPECT_EQ(told(world, kB, PutNodeAttribute{"other", "o"}), Reply{Done{}});
  EXPECT_EQ(world.handle(kB, PutNodeAttribute{"k", "v"}),
            (Effects{Answer{kB, Done{}}, Answer{kA, Text{"v"}}}));
  EXPECT_EQ(told(world, kB, PutNodeAttribute{"k", "w"}), Reply{Done{}});
  EXPECT_EQ(told(world, kA, GetNodeAttribute{"k", true}), Reply{Text{"w"}});
}

TEST(World, NamesAreAskedOfTheHead) {
  PmiWorld world(spec());
  const Effects asked = world.handle(kA, Lookup{"S"});
  EXPECT_EQ(asked, (Effects{Ask{1, kA, Lookup{"S"}}}));
  const Effects other = world.handle(kB, Publish{"S", "P"});
  EXPECT_EQ(other, (Effects{Ask{2, kB, Publish{"S", "P"}}}));
  EXPECT_EQ(world.answered(2, Done{}), (Effects{Answer{kB, Done{}}}));
  EXPECT_EQ(world.answered(1, Text{"P"}), (Effects{Answer{kA, Text{"P"}}}));
  EXPECT_EQ(world.answered(1, Text{"P"}), Effects{});
  EXPECT_EQ(world.handle(kA, Unpublish{"S"}), (Effects{Ask{3, kA, Unpublish{"S"}}}));
}

TEST(World, SpawnIsAskedOfTheHead) {
  PmiWorld world(spec());
  const Spawn spawn{{{"p", {}, 2, {}}}, {}};
  EXPECT_EQ(world.handle(kB, spawn), (Effects{SpawnRequest{1, kB, spawn}}));
  EXPECT_EQ(world.answered(1, Spawned{"K2", {}}), (Effects{Answer{kB, Spawned{"K2", {}}}}));
}

TEST(World, AbortHasNoAnswer) {
  PmiWorld world(spec());
  EXPECT_EQ(world.handle(kB, Abort{7, "why"}), (Effects{Aborted{kB, 7, "why"}}));
}

TEST(World, NothingIsSentToATaskThatIsGone) {
  PmiWorld world(spec());
  static_cast<void>(world.handle(kA, Lookup{"S"}));
  static_cast<void>(world.handle(kA, GetNodeAttribute{"k", true}));
  world.gone(kA);
  EXPECT_EQ(world.answered(1, NotFound{}), Effects{});
  EXPECT_EQ(world.handle(kB, PutNodeAttribute{"k", "v"}), (Effects{Answer{kB, Done{}}}));
  EXPECT_EQ(world.handle(kB, Barrier{}), Effects{});
}

TEST(World, WhoHasInitialisedAndWhoWaits) {
  PmiWorld world(spec());
  using States = std::vector<TaskState>;
  EXPECT_EQ(world.states(), (States{{kA, Stage::silent, false}, {kB, Stage::silent, false}}));
  static_cast<void>(world.handle(kB, Init{1, 1}));
  static_cast<void>(world.handle(kB, Barrier{}));
  EXPECT_EQ(world.states(), (States{{kA, Stage::silent, false}, {kB, Stage::initialised, true}}));
  EXPECT_EQ(world.stage(kB), Stage::initialised);
  static_cast<void>(world.handle(kA, Init{2, 0}));
  static_cast<void>(world.handle(kA, Barrier{}));
  ASSERT_TRUE(world.fence_out(0, ""));
  static_cast<void>(world.handle(kA, Finalize{}));
  EXPECT_EQ(world.states(),
            (States{{kA, Stage::finalised, false}, {kB, Stage::initialised, false}}));
}

}  // namespace
}  // namespace muster::pmi
