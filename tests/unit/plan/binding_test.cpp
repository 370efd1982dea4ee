// Mapping to hardware, ranking and binding where no other launcher can be asked: what is refused,
// lists that the user writes, apps, and slots by Open MPI's and Hydra's rules.
#include "plan/binding.hpp"

#include <gtest/gtest.h>

#include "model/topology_text.hpp"
#include "plan/plan.hpp"
#include "plan/report_binding.hpp"

namespace muster::plan {
namespace {

using model::BindTo;
using model::Level;
using model::MapBy;
using model::SlotRule;

// Two packages with a NUMA node each, four cores in each, two threads in each.
constexpr const char* kTwoSockets =
    "topology 1\nallowed 0-15\nhwthread 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n"
    "core 0-1 2-3 4-5 6-7 8-9 10-11 12-13 14-15\nl3cache 0-7 8-15\nnuma 0-7 8-15\n"
    "package 0-7 8-15\nmachine 0-15\nmemory 1 1\n";

model::SharedTopology hardware(const char* allowed = "0-15") {
  auto topology = model::decode_topology(kTwoSockets);
  EXPECT_TRUE(topology);
  topology->allowed = *model::parse_cpu_set(allowed);
  return {std::make_shared<const model::Topology>(*topology)};
}

struct Job {
  model::JobSpec spec;
  std::vector<model::SharedTopology> machines;  // one for each host; missing: two sockets
  ThisMachine here{{16}, "a", {"a", "localhost"}, {}};

  explicit Job(const std::vector<std::pair<std::string, std::uint32_t>>& hosts) {
    spec.apps.front().command = {"./app"};
    spec.source = model::kHostsListed;
    for (const auto& [name, slots] : hosts) {
      model::HostEntry entry;
      entry.name = name;
      if (slots > 0) entry.slots = slots;
      entry.place = {"hosts", static_cast<std::uint32_t>(spec.hosts.size() + 1), 1};
      spec.hosts.push_back(entry);
    }
  }

  base::Result<model::Plan> plan() const {
    auto made = inventory(spec, here);
    if (!made) return tl::unexpected(made.error());
    for (std::size_t i = 0; i < made->hosts.size(); ++i) {
      made->hosts[i].topology = i < machines.size() ? machines[i] : hardware();
    }
    return place(spec, *made);
  }

  model::Mapping& mapping() { return spec.mapping; }

  Job& ranks(std::uint32_t count) {
    spec.apps.front().ranks = count;
    return *this;
  }

  Job& map(Level level) {
    mapping().map_by = MapBy::object;
    mapping().level = level;
    mapping().map_given = true;
    return *this;
  }

  Job& bind(Level level) {
    mapping().bind_to = BindTo::object;
    mapping().bind_level = level;
    mapping().bind_given = true;
    return *this;
  }
};

// "a:0-1 a:2-3 b:-", or the error.
std::string layout(const Job& job) {
  const auto plan = job.plan();
  if (!plan) return base::to_string(plan.error());
  std::string text;
  for (const model::PlannedRank& rank : plan->ranks) {
    if (!text.empty()) text += ' ';
    text += plan->nodes[rank.node.value].host.name + ":";
    text += rank.binding == model::kUnbound ? "-" : to_string(plan->sets[rank.binding]);
  }
  return text;
}

std::string error(const Job& job) {
  const auto plan = job.plan();
  EXPECT_FALSE(plan) << layout(job);
  return plan ? "" : base::to_string(plan.error());
}

TEST(Binding, needs_no_hardware_when_nothing_asks_for_it) {
  Job job({{"a", 2}});
  EXPECT_FALSE(needs_topology(job.spec));
  job.machines = {{}};
  EXPECT_EQ(layout(job), "a:- a:-");
}

TEST(Binding, says_whose_hardware_is_not_known) {
  Job job({{"a", 2}});
  job.bind(Level::core).machines = {{}};
  EXPECT_TRUE(needs_topology(job.spec));
  EXPECT_EQ(error(job),
            "the hardware of a is not known\n"
            "  hint: what is mapped by slot or node, and bound to nothing, works without it");
}

TEST(Binding, more_ranks_than_cpus_is_refused_with_both_ways_out) {
  Job job({{"a", 9}});
  job.bind(Level::core);
  EXPECT_EQ(error(job),
            "binding to core puts more ranks than cpus on a core of a: 9 ranks there need 1 cpu "
            "each, and 8 cpus may be used\n"
            "  hint: --bind-to core:overload-allowed shares cpus; --bind-to none binds nothing");
  job.mapping().bind_overload = true;
  EXPECT_TRUE(job.plan());
}

TEST(Binding, of_a_level_that_a_host_lacks) {
  Job job({{"a", 2}});
  job.bind(Level::l1cache);
  EXPECT_EQ(error(job),
            "a has no l1cache to bind to\n"
            "  hint: --bind-to l1cache:if-supported binds only where possible");
  job.mapping().bind_if_supported = true;
  EXPECT_EQ(layout(job), "a:- a:-");
}

TEST(Binding, keeps_to_what_affinity_allows) {
  Job job({{"a", 4}});
  job.bind(Level::core).machines = {hardware("3-8")};
  EXPECT_EQ(layout(job), "a:3 a:4-5 a:6-7 a:8");
}

TEST(Binding, of_a_cpu_set_counts_cores) {
  Job job({{"a", 3}});
  job.mapping().cpu_set = *model::parse_cpu_set("1,4-5");
  EXPECT_EQ(layout(job), "a:2-3,8-11 a:2-3,8-11 a:2-3,8-11");
  job.bind(Level::core);
  EXPECT_EQ(layout(job), "a:2-3 a:8-9 a:10-11");
  job.bind(Level::hwthread).mapping().hwthread_cpus = true;
  EXPECT_EQ(layout(job), "a:1 a:4 a:5");
}

TEST(Binding, of_a_cpu_set_with_unknown_cpus) {
  Job job({{"a", 1}});
  job.mapping().cpu_set = *model::parse_cpu_set("0,8");
  EXPECT_EQ(error(job),
            "cpu 8 of the cpu set does not exist on a\n  hint: a has 8 cores, counted from 0");
  job.mapping().cpu_set = *model::parse_cpu_set("0,7");
  job.machines = {hardware("0-3")};
  EXPECT_EQ(error(job),
            "cpu 7 of the cpu set may not be used on a\n  hint: a has 8 cores, counted from 0");
  job.mapping().cpu_set = model::CpuSet();
  EXPECT_EQ(error(job), "the cpu set is empty");
}

TEST(Binding, of_several_cpus_for_each_rank) {
  Job job({{"a", 4}});
  job.mapping().cpus_per_rank = 3;
  EXPECT_EQ(layout(job.ranks(2)), "a:0-5 a:6-11");
  EXPECT_NE(error(job.ranks(3)).find("3 ranks there need 3 cpus each, and 8 cpus"),
            std::string::npos);
  EXPECT_EQ(error(job.map(Level::core)),
            "3 cpus for each rank are more than the 1 that a core of a has\n"
            "  hint: map by something larger, for example --map-by slot:PE=n");
  job.mapping().cpus_per_rank = 0;
  EXPECT_EQ(error(job), "PE must be from 1 to 16384, not 0");
}

TEST(Binding, of_several_cpus_goes_to_cores_only) {
  Job job({{"a", 2}});
  job.bind(Level::package).mapping().cpus_per_rank = 2;
  EXPECT_EQ(error(job),
            "PE=2 binds each rank to cpus of its own, but --bind-to package was requested\n"
            "  hint: with PE=n, bind to core, hwthread or none");
}

TEST(Binding, of_a_cpu_list_in_its_order) {
  Job job({{"a", 3}});
  job.mapping().bind_to = BindTo::cpu_list;
  job.mapping().bind_given = true;
  job.mapping().cpu_list = {5, 0, 2};
  EXPECT_EQ(layout(job), "a:0-1,4-5,10-11 a:0-1,4-5,10-11 a:0-1,4-5,10-11");
  job.mapping().bind_ordered = true;
  EXPECT_EQ(layout(job), "a:10-11 a:0-1 a:4-5");
  job.mapping().cpu_list = {5, 0};
  EXPECT_EQ(error(job),
            "the cpu list has cpus for 2 ranks on a, where more are to run\n"
            "  hint: list more cpus, or run fewer ranks there");
  job.mapping().cpu_list.clear();
  EXPECT_EQ(error(job), "binding to a cpu list needs a list of cpus");
}

TEST(Mapping, by_cpu_list_takes_no_more_than_it_has) {
  Job job({{"a", 8}, {"b", 8}});
  job.mapping().map_by = MapBy::pe_list;
  job.mapping().cpu_list = {3, 1};
  EXPECT_EQ(layout(job.ranks(3)), "a:6-7 a:2-3 b:6-7");
  EXPECT_NE(
      error(job.ranks(5)).find("5 ranks wanted, but there is room for 4 (the cpu list on 2 hosts)"),
      std::string::npos);
}

TEST(Mapping, ppr_without_a_count_takes_all_objects) {
  Job job({{"a", 8}, {"b", 8}});
  job.map(Level::package).bind(Level::package).mapping().map_by = MapBy::ppr;
  EXPECT_EQ(layout(job), "a:0-7 a:8-15 b:0-7 b:8-15");
  EXPECT_NE(
      error(job.ranks(5)).find("5 ranks wanted, but there is room for 4 (1 for each package of 2"),
      std::string::npos);
}

TEST(Mapping, ppr_beyond_the_slots_of_one_host) {
  Job job({{"a", 1}, {"b", 8}});
  job.map(Level::package).mapping().map_by = MapBy::ppr;
  EXPECT_EQ(error(job.ranks(3)),
            "hosts:1:1: 1 for each package is more than the 1 slot of a\n"
            "  hint: give a more slots, or add --oversubscribe to share cores");
}

TEST(Mapping, by_a_level_that_no_host_has) {
  Job job({{"a", 1}});
  EXPECT_EQ(error(job.map(Level::l2cache)),
            "no host has l2cache to map by\n  hint: --map-by slot works on every host");
}

TEST(Mapping, seq_runs_one_for_each_entry) {
  Job job({{"a", 1}, {"b", 1}, {"a", 1}});
  job.mapping().map_by = MapBy::seq;
  EXPECT_EQ(layout(job), "a:- b:- a:-");
  EXPECT_EQ(error(job.ranks(4)),
            "4 ranks wanted, but mapping by seq runs one for each of the 3 listed hosts\n"
            "  hint: use 3 ranks, or list more hosts");
}

TEST(Mapping, without_this_machine) {
  Job job({{"localhost", 4}, {"b", 1}});
  job.mapping().no_local = true;
  EXPECT_EQ(layout(job), "b:-");
  job.spec.hosts.pop_back();
  EXPECT_EQ(error(job),
            "--nolocal leaves no host to run on\n  hint: list other hosts with -H or --hostfile");
}

model::RankfileEntry line(std::uint32_t rank, const std::string& host) {
  model::RankfileEntry entry;
  entry.rank = base::Rank(rank);
  entry.host = host;
  entry.cpus = {rank};
  entry.place = {"ranks", rank + 1, 1};
  return entry;
}

Job by_rankfile(std::vector<model::RankfileEntry> lines) {
  Job job({{"localhost", 4}, {"b", 4}, {"a", 1}});
  job.mapping().map_by = MapBy::rankfile;
  job.mapping().rankfile = std::move(lines);
  return job;
}

TEST(Rankfile, says_host_and_cpus_of_each_rank) {
  auto cores = line(1, "+n1");
  cores.cpus.clear();
  cores.cores = {{1, 0, 1}, {0, 3, std::nullopt}};
  // localhost and a are one host, under the name that came first.
  EXPECT_EQ(layout(by_rankfile({line(2, "b"), line(0, "a"), cores})), "localhost:0-1 b:6-11 b:4-5");
}

TEST(Rankfile, may_call_this_machine_otherwise_than_the_list_does) {
  Job listed = by_rankfile({line(0, "box.example"), line(1, "b")});
  listed.here.local_names.push_back("box.example");
  EXPECT_EQ(layout(listed), "localhost:0-1 b:2-3");
  Job alone = by_rankfile({line(0, "localhost")});
  alone.spec.hosts.clear();
  alone.spec.source = model::kHostsHere;
  EXPECT_EQ(layout(alone), "a:0-1");
}

TEST(Rankfile, may_have_lines_for_more_ranks_than_the_job) {
  EXPECT_EQ(
      layout(by_rankfile({line(0, "b"), line(1, "a"), line(2, "gone"), line(3, "b")}).ranks(2)),
      "b:0-1 localhost:2-3");
}

TEST(Rankfile, complains_with_the_line) {
  EXPECT_EQ(error(by_rankfile({line(0, "c")})),
            "ranks:1:1: rank 0 is assigned to c, which is not one of the job's hosts\n"
            "  hint: the job's hosts are localhost and others");
  EXPECT_EQ(error(by_rankfile({line(0, "a"), line(0, "b")})),
            "ranks:1:1: rank 0 is in the rankfile twice\n  hint: give each rank one line");
  EXPECT_EQ(
      error(by_rankfile({line(0, "a"), line(2, "b")})),
      "ranks: the rankfile has no line for rank 1 of 2\n  hint: add a line: rank 1=HOST slot=0");
  EXPECT_EQ(
      error(by_rankfile({line(1, "a")}).ranks(2)),
      "ranks: the rankfile has no line for rank 0 of 2\n  hint: add a line: rank 0=HOST slot=0");
  auto none = line(0, "a");
  none.cpus = {};
  EXPECT_EQ(error(by_rankfile({none})),
            "ranks:1:1: rank 0 has no slot\n  hint: write slot=0, slot=0-3 or slot=SOCKET:CORE");
  none.cpus = {8};
  EXPECT_EQ(error(by_rankfile({none})), "ranks:1:1: cpu 8 does not exist on localhost");
  none.cpus = {};
  none.cores = {{1, 0, 4}};
  EXPECT_EQ(error(by_rankfile({none})),
            "ranks:1:1: socket 1 of localhost has 4 cores: there is no core 4");
  none.cores = {{2, 0, 1}};
  EXPECT_EQ(error(by_rankfile({none})),
            "ranks:1:1: localhost has no such socket and core that this job may use");
}

TEST(Apps, go_on_where_the_last_one_stopped) {
  Job job({{"a", 3}, {"b", 3}});
  job.ranks(2).spec.apps.push_back(job.spec.apps.front());
  EXPECT_EQ(layout(job.bind(Level::core)), "a:0-1 a:2-3 a:4-5 b:0-1");
}

TEST(Apps, with_hosts_of_their_own_fill_these) {
  Job job({{"a", 3}, {"b", 3}});
  job.ranks(2).spec.apps.push_back(job.spec.apps.front());
  job.spec.apps.push_back(job.spec.apps.front());
  job.spec.apps[1].hosts = {"b"};
  EXPECT_EQ(layout(job.bind(Level::core)), "a:0-1 a:2-3 b:0-1 b:2-3 a:4-5 b:4-5");
  job.spec.apps[1].hosts = {"c"};
  EXPECT_EQ(error(job), "c is not one of the job's hosts");
}

TEST(Ranking, span_goes_over_the_objects_of_all_hosts) {
  Job job({{"a", 4}, {"b", 4}});
  job.map(Level::package).bind(Level::package);
  job.mapping().rank_given = true;
  job.mapping().rank_by = model::RankBy::span;
  job.mapping().rank_level = Level::package;
  EXPECT_EQ(layout(job), "a:0-7 a:8-15 b:0-7 b:8-15 a:0-7 a:8-15 b:0-7 b:8-15");
  job.mapping().rank_by = model::RankBy::fill;
  EXPECT_EQ(layout(job), "a:0-7 a:0-7 a:8-15 a:8-15 b:0-7 b:0-7 b:8-15 b:8-15");
}

// ---- slots --------------------------------------------------------------------------------------

Job open_mpi(const std::vector<std::pair<std::string, std::uint32_t>>& hosts,
             model::HostSource source) {
  Job job(hosts);
  job.spec.slot_rule = SlotRule::open_mpi;
  job.spec.source = source;
  return job;
}

TEST(OpenMpiSlots, of_the_command_line_add_up_and_this_host_comes_first) {
  EXPECT_EQ(layout(open_mpi({{"b", 0}, {"a", 1}, {"b", 2}}, model::kHostsListed)),
            "a:- b:- b:- b:-");
}

TEST(OpenMpiSlots, of_a_hostfile_line_without_slots_are_the_cores) {
  EXPECT_EQ(layout(open_mpi({{"b", 0}}, model::kHostsInFile)), "b:- b:- b:- b:- b:- b:- b:- b:-");
  EXPECT_EQ(layout(open_mpi({{"b", 0}, {"b", 0}}, model::kHostsInFile)), "b:- b:-");
  EXPECT_EQ(layout(open_mpi({{"b", 2}, {"b", 0}}, model::kHostsInFile)), "b:- b:- b:-");
}

TEST(OpenMpiSlots, are_counted_on_one_line_only) {
  const std::string twice =
      "hosts:2:1: a line above already gives the slots of b\n"
      "  hint: write all slots of b on one line";
  EXPECT_EQ(error(open_mpi({{"b", 2}, {"b", 2}}, model::kHostsInFile)), twice);
  EXPECT_EQ(error(open_mpi({{"b", 0}, {"b", 3}}, model::kHostsInFile)), twice);
}

TEST(OpenMpiSlots, that_are_cores_of_an_unknown_host) {
  Job job = open_mpi({{"b", 0}}, model::kHostsInFile);
  const auto made = inventory(job.spec, job.here);
  ASSERT_TRUE(made);
  EXPECT_TRUE(needs_facts(job.spec, *made));
  const auto plan = place(job.spec, *made);
  ASSERT_FALSE(plan);
  EXPECT_EQ(base::to_string(plan.error()),
            "hosts:1:1: b has no slots=N, and its number of cores is not known\n"
            "  hint: write slots=N after b, or give the number of ranks");
}

TEST(OpenMpiSlots, are_not_exceeded_even_on_this_machine) {
  Job job = open_mpi({}, model::kHostsHere);
  EXPECT_EQ(layout(job), "a:- a:- a:- a:- a:- a:- a:- a:-");
  EXPECT_EQ(error(job.ranks(9)),
            "9 ranks wanted, but 1 host has 8 slots\n"
            "  hint: use -np 8, or add --oversubscribe to share cores");
}

TEST(HydraSlots, repeat_their_pattern_when_all_are_full) {
  Job job({{"b", 2}, {"a", 0}});
  job.spec.slot_rule = SlotRule::hydra;
  EXPECT_EQ(layout(job), "b:- b:- a:-");
  EXPECT_EQ(layout(job.ranks(5)), "b:- b:- a:- b:- b:-");
  job.spec.per_node = 1;
  EXPECT_EQ(layout(job.ranks(3)), "b:- a:- b:-");
}

TEST(HydraBinding, of_user_sets_leaves_later_ranks_alone) {
  Job job({{"b", 3}});
  job.spec.slot_rule = SlotRule::hydra;
  job.mapping().bind_to = BindTo::user;
  job.mapping().user_sets = {*model::parse_cpu_set("0,2"), *model::parse_cpu_set("4")};
  EXPECT_EQ(layout(job), "b:0,2 b:4 b:-");
  job.mapping().user_sets = {*model::parse_cpu_set("0,99")};
  EXPECT_EQ(error(job),
            "binding to user:0,99 is not possible on b\n  hint: cpus 0-15 of b may be used");
}

TEST(FakeNodes, share_the_cores_of_this_machine_out) {
  Job job({});
  job.spec.source = model::kHostsHere;
  job.spec.fake_nodes = 2;
  job.here.topology = hardware();
  auto made = inventory(job.ranks(4).bind(Level::core).spec, job.here);
  ASSERT_TRUE(made);
  const auto plan = place(job.spec, *made);
  ASSERT_TRUE(plan) << base::to_string(plan.error());
  std::string text;
  for (const auto& rank : plan->ranks) text += to_string(plan->sets[rank.binding]) + " ";
  EXPECT_EQ(text, "0-1 2-3 8-9 10-11 ");
}

TEST(ReportBinding, is_in_open_mpis_words) {
  const auto all = hardware();
  EXPECT_EQ(report_binding(*all, *model::parse_cpu_set("1-2")),
            "socket 0[core 0[hwt 1]], socket 0[core 1[hwt 0]]: [.B/B./../..][../../../..]");
  EXPECT_EQ(report_binding(*all, *model::parse_cpu_set("0-15")),
            "is not bound (or bound to all available processors)");
}

}  // namespace
}  // namespace muster::plan
