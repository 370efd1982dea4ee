// mpirun's words: what they become, and what is said about wrong ones.
#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <map>

#include "front/mpirun/front.hpp"

namespace muster::front::mpirun_front_test {
namespace {

using model::BindTo;
using model::Level;
using model::MapBy;
using Words = std::vector<std::string>;

// The files that are there, and the environment, of one test.
struct World {
  std::map<std::string, std::string> files = {};
  Words environment = {};

  [[nodiscard]] base::Result<Reading> read(const Words& words) const {
    const auto read_file = [this](const std::string& path,
                                  std::size_t) -> base::Result<std::string> {
      const auto found = files.find(path);
      if (found != files.end()) return found->second;
      return base::fail_at({path, 0, 0}, base::Fault::bad_file, "", "no such file");
    };
    return read_mpirun({.called = "mpirun",
                        .words = words,
                        .environment = environment,
                        .current_folder = "/here",
                        .read_file = read_file,
                        .version = "1.2.3"});
  }
  [[nodiscard]] model::JobSpec spec(const Words& words) const {
    auto reading = read(words);
    if (reading && reading->request) return reading->request->spec;
    ADD_FAILURE() << words.front() << ": " << (reading ? "text" : to_string(reading.error()));
    return {};
  }
  [[nodiscard]] std::string complaint(const Words& words) const {
    const auto reading = read(words);
    if (reading) return "no complaint";
    EXPECT_EQ(to_string(reading.error()).find('\n') != std::string::npos,
              !reading.error().hint.empty());
    return reading.error().what;
  }
  [[nodiscard]] Words notices(const Words& words) const {
    const auto reading = read(words);
    return reading ? reading->notices : Words{to_string(reading.error())};
  }
};

model::JobSpec spec(const Words& words) { return World().spec(words); }
std::string complaint(const Words& words) { return World().complaint(words); }

TEST(MpirunFront, MapsByDistanceToTheDeviceOfAParameter) {
  const auto device = [](const Words& words) { return spec(words).mapping.device; };
  EXPECT_EQ(device({"--map-by", "dist:span", "-mca", "rmaps_dist_device", "mlx5_1:1", "p"}),
            "mlx5_1");
  EXPECT_EQ(spec({"--map-by", "dist:span", "p"}).mapping.map_by, MapBy::distance);
  EXPECT_EQ(device({"--map-by", "dist:eth0", "-mca", "rmaps_dist_device", "mlx5_1", "p"}), "eth0");
  EXPECT_EQ(device({"-mca", "rmaps_dist_device", "mlx5_1", "--map-by", "dist:eth0", "p"}), "eth0");
}

TEST(MpirunFront, BindsMemoryByOpenMpisParameters) {
  using model::IfRefused;
  using model::MemoryMode;
  const std::string policy = "hwloc_base_mem_alloc_policy";
  const std::string action = "hwloc_base_mem_bind_failure_action";
  const auto memory = [](const Words& words) { return spec(words).mapping.memory; };
  const model::MemoryWish own{MemoryMode::bind, {}, true, IfRefused::tell};
  EXPECT_EQ(memory({"-mca", policy, "local_only", "p"}), own);
  EXPECT_EQ(memory({"-mca", policy, "none", "p"}).mode, MemoryMode::inherited);
  for (const Words& words : {Words{"-mca", policy, "local_only", "-mca", action, "error", "p"},
                             Words{"-mca", action, "error", "-mca", policy, "local_only", "p"}}) {
    EXPECT_EQ(memory(words).if_refused, IfRefused::fail);
    EXPECT_EQ(memory(words).mode, MemoryMode::bind);
  }
  const model::MemoryWish local{.mode = MemoryMode::local};
  EXPECT_EQ(
      memory({"--mem-bind", "local", "-mca", policy, "local_only", "-mca", action, "silent", "p"}),
      local);
  EXPECT_EQ(memory({"-mca", policy, "local_only", "--mem-bind", "local", "p"}), local);
  EXPECT_EQ(complaint({"-mca", policy, "all", "p"}),
            "hwloc_base_mem_alloc_policy must be none or local_only, not 'all'");
  EXPECT_EQ(complaint({"-mca", action, "die", "p"}),
            "hwloc_base_mem_bind_failure_action must be silent, warn or error, not 'die'");
}

std::vector<model::EnvSetting> exports(const model::JobSpec& spec, std::size_t app = 0) {
  return spec.apps.at(app).exports;
}

TEST(Mpirun, PassesOnSignals) {
  const auto usual = spec({"p"}).forwarded_signals;
  const auto has = [](const std::vector<std::int32_t>& all, int one) {
    return std::ranges::find(all, one) != all.end();
  };
  EXPECT_TRUE(has(usual, SIGUSR1) && has(usual, SIGURG) && !has(usual, SIGWINCH));
  EXPECT_TRUE(
      has(spec({"--forward-signals", "winch,SIGUSR1,CONT", "p"}).forwarded_signals, SIGWINCH));
  EXPECT_EQ(spec({"-mca", "ess_base_forward_signals", "none", "p"}).forwarded_signals,
            std::vector<std::int32_t>());
  EXPECT_EQ(complaint({"--forward-signals", "USR9", "p"}),
            "--forward-signals must be a list of signals, not 'USR9'");
  EXPECT_EQ(complaint({"--forward-signals", "term", "p"}),
            "--forward-signals: 'term' is not passed on: it is for mpirun itself");
}

TEST(Mpirun, AsksRanksWhatTheyDoAtTheTimeLimit) {
  const auto job = spec({"--timeout", "5", "--get-stack-traces", "p"});
  EXPECT_TRUE(job.stacks_at_timeout && !job.state_at_timeout);
  EXPECT_TRUE(spec({"--runtime-options", "report-state-on-timeout", "p"}).state_at_timeout);
}

// "n1:4 n2:*" for hosts and what they are given; a host without slots is "n1".
std::string slots_of(const model::JobSpec& spec) {
  std::string text;
  for (const model::HostEntry& host : spec.hosts) {
    text += (text.empty() ? "" : " ") + host.name;
    if (host.slots) text += ":" + std::to_string(*host.slots);
  }
  return text;
}

TEST(Mpirun, TakesHostsAndRanksOfARankfileAlone) {
  const World world{{{"ranks", "rank 0=c0 slot=0\nrank 1=c1 slot=0\nrank 2=c0 slot=1\n"},
                     {"odd", "rank 0=-oProxyCommand slot=0\n"},
                     {"two", "c0 slots=2\nc1 slots=2\n"}},
                    {}};
  EXPECT_EQ(slots_of(world.spec({"--rankfile", "ranks", "p"})), "c0:2 c1:1");
  EXPECT_EQ(slots_of(world.spec({"--rankfile", "ranks", "--hostfile", "two", "p"})), "c0:2 c1:2");
  EXPECT_TRUE(world.complaint({"--rankfile", "odd", "p"}).find("must not start with '-'") !=
              std::string::npos);
}

TEST(Mpirun, RankfilesMayHaveMoreLinesThanTheJobHasRanks) {
  const World world{{{"ranks", "rank 0=c0 slot=0\nrank 1=c1 slot=0\nrank 2=c2 slot=1\n"}}, {}};
  const auto job = world.spec({"-np", "2", "--rankfile", "ranks", "p"});
  EXPECT_EQ(job.apps.front().ranks, 2U);
  EXPECT_EQ(job.mapping.rankfile.size(), 3U);
}

TEST(Mpirun, LeavesOutHostsWithoutSlots) {
  EXPECT_EQ(slots_of(spec({"-H", "n1:0,n2:6", "p"})), "n2:6");
  EXPECT_EQ(slots_of(World{{{"h", "n1 slots=0\nn2 slots=2\n"}}, {}}.spec({"--hostfile", "h", "p"})),
            "n2:2");
}

// As 4.1.4 takes them, by trial.
TEST(Mpirun, ListsMayHaveCommasWithoutHosts) {
  EXPECT_EQ(slots_of(spec({"--host", "w0,w1,", "-np", "2", "p"})), "w0 w1");
  EXPECT_EQ(slots_of(spec({"-H", "w0,", "-H", "w1:2,", "p"})), "w0 w1:2");
  EXPECT_EQ(slots_of(spec({"-H", "w0:1,,w1", "p"})), "w0:1 w1");
  EXPECT_EQ(slots_of(spec({"-H", ",w0, ,w1,,", "p"})), "w0 w1");
  EXPECT_EQ(complaint({"-H", ",", "p"}), "entry 1 is empty");
  EXPECT_EQ(complaint({"-H", "", "p"}), "-H has an empty value");
  const World world{{{"h", "n0 slots=4\nn1 slots=4\n"}}, {}};
  EXPECT_EQ(slots_of(world.spec({"--hostfile", "h", "-H", ",+n1,,+n0:1,", "p"})), "n1:4 n0:1");
}

TEST(Mpirun, CountsSlotsOfHostsByNumber) {
  const World world{{{"h", "n0 slots=4\nn1 slots=4\n"}}, {}};
  EXPECT_EQ(slots_of(world.spec({"--hostfile", "h", "-H", "+n1:2", "p"})), "n1:2");
  EXPECT_EQ(slots_of(world.spec({"--hostfile", "h", "-H", "+n1,+n0:1", "p"})), "n1:4 n0:1");
  EXPECT_TRUE(world.complaint({"--hostfile", "h", "-H", "+n1:x", "p"}).find("+n1") !=
              std::string::npos);
}

TEST(Mpirun, HostfilesMayLeaveSlotsToAParameter) {
  World world{{{"h", "n0\nn1 slots=3\n"}}, {"OMPI_MCA_orte_set_default_slots=4"}};
  EXPECT_EQ(slots_of(world.spec({"--hostfile", "h", "p"})), "n0:4 n1:3");
  EXPECT_EQ(slots_of(world.spec({"-n", "8", "--hostfile", "h", "p"})), "n0:4 n1:3");
  EXPECT_EQ(slots_of(world.spec({"-H", "n0", "p"})), "n0");
  world.environment.emplace_back("OMPI_MCA_orte_default_hostfile=h");
  EXPECT_EQ(slots_of(world.spec({"p"})), "n0:4 n1:3");
  EXPECT_EQ(slots_of(world.spec({"-n", "8", "p"})), "n0:4 n1:3");
  world.environment = {};
  EXPECT_EQ(slots_of(world.spec({"--hostfile", "h", "-mca", "orte_set_default_slots", "2", "p"})),
            "n0:2 n1:3");
}

TEST(Mpirun, HasNoMoreSlotsThanTheBatchJobGives) {
  const World world{
      {{"bare", "node3\nnode4\n"},
       {"more", "node3 slots=9\n"},
       {"part", "node3 slots=2\nnode3 slots=3\nnode9 slots=5\n"}},
      {"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=node[1-4]", "SLURM_TASKS_PER_NODE=4(x4)"}};
  EXPECT_EQ(slots_of(world.spec({"--hostfile", "bare", "p"})), "node3:4 node4:4");
  EXPECT_EQ(slots_of(world.spec({"--hostfile", "bare", "-n", "6", "p"})), "node3:4 node4:4");
  EXPECT_EQ(slots_of(world.spec({"--hostfile", "more", "p"})), "node3:4");
  EXPECT_EQ(slots_of(world.spec({"--hostfile", "part", "p"})), "node3:2 node3:2 node9:5");
}

TEST(Mpirun, HasNoMoreSlotsThanAnyBatchSystemGives) {
  const std::vector<Words> systems = {
      {"PBS_JOBID=7.server", "PBS_NODEFILE=/nodes"},
      {"LSB_JOBID=7", "LSB_DJOB_HOSTFILE=/nodes"},
      {"LSB_JOBID=7", "LSB_MCPU_HOSTS=node3 4 node4 2"},
      {"SGE_ROOT=/sge", "JOB_ID=7", "PE_HOSTFILE=/granted"},
  };
  for (const Words& around : systems) {
    const World world{{{"/nodes", "node3\nnode3\nnode4\nnode3\nnode4\nnode3\n"},
                       {"/granted", "node3 4 q@node3 UNDEFINED\nnode4 2 q@node4 UNDEFINED\n"},
                       {"bare", "node3\nnode4\n"},
                       {"more", "node4 slots=9\n"},
                       {"part", "node3 slots=2\nnode3 slots=3\nnode9 slots=5\n"}},
                      around};
    const auto slots = [&](const char* file) {
      return slots_of(world.spec({"--hostfile", file, "p"}));
    };
    EXPECT_EQ(slots("bare"), "node3:4 node4:2") << around.back();
    EXPECT_EQ(slots("more"), "node4:2") << around.back();
    EXPECT_EQ(slots("part"), "node3:2 node3:2 node9:5") << around.back();
  }
}

TEST(Mpirun, HearsVariablesOfTheUsersOwnParameters) {
  const World world{{{"/home/me/.openmpi/mca-params.conf",
                      "-x FOO=bar\norte_tag_output = 1\n-x BAZ=\"two words\" -x QUX=3\n"}},
                    {"HOME=/home/me"}};
  const auto job = world.spec({"-n", "1", "p", ":", "-n", "1", "-x", "FOO=own", "q"});
  const std::vector<model::EnvSetting> first = {{"FOO", "bar"}, {"BAZ", "two words"}, {"QUX", "3"}};
  std::vector<model::EnvSetting> second = first;
  second.push_back({"FOO", "own"});
  EXPECT_EQ(exports(job), first);
  EXPECT_EQ(exports(job, 1), second);
}

TEST(Mpirun, ReadsTheSeedsLines) {
  const auto logs = spec({"-n", "8", "--output-filename", "log_output", "--merge-stderr-to-stdout",
                          "python", "net.py"});
  EXPECT_EQ(logs.apps[0].ranks, 8U);
  EXPECT_EQ(logs.apps[0].command, (Words{"python", "net.py"}));
  const auto lambda = spec({"-np",
                            "4",
                            "-H",
                            "104.171.200.62:2,104.171.200.182:2",
                            "-x",
                            "MASTER_ADDR=104.171.200.62",
                            "-x",
                            "MASTER_PORT=1234",
                            "-bind-to",
                            "none",
                            "-map-by",
                            "slot",
                            "-mca",
                            "pml",
                            "ob1",
                            "-mca",
                            "btl",
                            "^openib",
                            "python3",
                            "main.py",
                            "--backend=nccl"});
  ASSERT_EQ(lambda.hosts.size(), 2U);
  EXPECT_EQ(lambda.hosts[1].slots, 2U);
  EXPECT_TRUE(lambda.mapping.map_given && lambda.mapping.bind_given);
  EXPECT_EQ(lambda.mapping.bind_to, BindTo::none);
  EXPECT_EQ(exports(lambda), (std::vector<model::EnvSetting>{{"MASTER_ADDR", "104.171.200.62"},
                                                             {"MASTER_PORT", "1234"},
                                                             {"OMPI_MCA_pml", "ob1"},
                                                             {"OMPI_MCA_btl", "^openib"}}));
  World azure;
  azure.files["/mpi/hosts"] = "a slots=4\nb slots=4\n";
  azure.environment = {"PATH=/bin"};
  const auto job = azure.spec({"-np", "16", "--hostfile", "/mpi/hosts", "--allow-run-as-root", "-x",
                               "PATH", "python", "train.py"});
  EXPECT_EQ(job.source_name, "/mpi/hosts");
  EXPECT_EQ(job.slot_rule, model::SlotRule::open_mpi);
}

TEST(Mpirun, TakesOneDashOrTwoAndAnEqualsSign) {
  for (const Words& words : {Words{"-bind-to", "core", "p"},
                             {"--bind-to", "core", "p"},
                             {"--bind-to=core", "p"},
                             {"-bind-to-core", "p"}}) {
    EXPECT_EQ(spec(words).mapping.bind_to, BindTo::object) << words[0];
    EXPECT_EQ(spec(words).mapping.bind_level, Level::core) << words[0];
  }
  EXPECT_EQ(spec({"-n4", "p"}).apps[0].ranks, 4U);
  EXPECT_EQ(spec({"-n", "1", "-n", "2", "p"}).apps[0].ranks, 2U);
  EXPECT_EQ(spec({"-n", "0", "p"}).apps[0].ranks, std::nullopt);
}

TEST(Mpirun, MapsByManyWords) {
  const auto mapping = [](const char* text) { return spec({"--map-by", text, "p"}).mapping; };
  EXPECT_EQ(mapping("s").map_by, MapBy::slot);
  EXPECT_EQ(mapping("NODE").map_by, MapBy::node);
  EXPECT_EQ(mapping("seq").map_by, MapBy::seq);
  EXPECT_EQ(mapping("so").level, Level::package);
  EXPECT_EQ(mapping("package").level, Level::package);
  EXPECT_EQ(mapping("numa:PE=2,SPAN").cpus_per_rank, 2U);
  EXPECT_TRUE(mapping("numa:PE=2,SPAN").span);
  EXPECT_EQ(mapping("ppr:2:node:pe=3").map_by, MapBy::ppr);
  EXPECT_EQ(mapping("ppr:2:node:pe=3").level, Level::machine);
  EXPECT_EQ(mapping("ppr:2:node:pe=3").per_object, 2U);
  EXPECT_EQ(mapping("ppr:2:node:pe=3").cpus_per_rank, 3U);
  EXPECT_FALSE(mapping(":PE=4").map_given);
  EXPECT_EQ(mapping("pe-list=0,2-3").cpu_list, (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_TRUE(spec({"--map-by", "slot:oversub", "p"}).oversubscribe);
  EXPECT_TRUE(mapping("slot:NOOVERSUBSCRIBE").no_oversubscribe);
  EXPECT_EQ(spec({"-N", "2", "p"}).mapping, spec({"--map-by", "ppr:2:node", "p"}).mapping);
  EXPECT_EQ(spec({"-npersocket", "2", "p"}).mapping, spec({"-ppr", "2:socket", "p"}).mapping);
  EXPECT_EQ(spec({"-bynode", "p"}).mapping.rank_by, model::RankBy::node);
  EXPECT_EQ(spec({"--rank-by", "core:fill", "p"}).mapping.rank_by, model::RankBy::fill);
}

TEST(Mpirun, RefusesWrongPlaces) {
  EXPECT_NE(complaint({"--map-by", "foo", "p"}).find("--map-by must be slot, node"),
            std::string::npos);
  EXPECT_EQ(complaint({"--map-by", "slot:foo", "p"}), "--map-by has an unknown modifier 'foo'");
  EXPECT_EQ(complaint({"--map-by", "slot:PE", "p"}), "--map-by: PE needs a value, as in PE=2");
  EXPECT_EQ(complaint({"--map-by", "ppr:0:node", "p"}),
            "--map-by ppr:N must be from 1 to 1000000, not 0");
  EXPECT_EQ(complaint({"--map-by", "ppr:2", "p"}),
            "--map-by ppr:N:WHAT needs node, package, numa, core or another object, not ''");
  EXPECT_EQ(complaint({"--bind-to", "cor", "p"}).substr(0, 22), "--bind-to must be none");
  EXPECT_EQ(complaint({"--bind-to", "core:foo", "p"}),
            "--bind-to allows if-supported, overload-allowed and ordered, not 'foo'");
  EXPECT_EQ(complaint({"--rank-by", "x", "p"}).substr(0, 22), "--rank-by must be slot");
  EXPECT_EQ(complaint({"--oversubscribe", "--nooversubscribe", "p"}),
            "--nooversubscribe cannot be combined with an earlier option");
  EXPECT_EQ(complaint({"--cpu-set", "3-1", "p"}).substr(0, 29), "--cpu-set must be cpu numbers");
  EXPECT_EQ(complaint({"-n", "x", "p"}), "-n must be a whole number from 0 to 1000000, not 'x'");
  EXPECT_EQ(complaint({"-n"}), "-n needs a value: N");
}

TEST(Mpirun, ReadsHosts) {
  World world;
  world.files["hf"] = "a slots=4\nb slots=2\nc slots=2\n";
  const auto names = [&](const Words& words) {
    std::string all;
    for (const auto& host : world.spec(words).hosts) {
      all += host.name + ":" + std::to_string(host.slots.value_or(0)) + " ";
    }
    return all;
  };
  EXPECT_EQ(names({"-H", "a:2", "-host", "b", "p"}), "a:2 b:0 ");
  EXPECT_EQ(names({"--hostfile", "hf", "p"}), "a:4 b:2 c:2 ");
  EXPECT_EQ(names({"-machinefile", "hf", "-H", "c:1,zz", "p"}), "c:1 zz:0 ");
  EXPECT_EQ(names({"--hostfile", "hf", "-H", "+n2,x,+n0", "p"}), "c:2 x:0 a:4 ");
  EXPECT_EQ(names({"--hostfile", "hf", "-H", "+e:2", "p"}), "a:4 b:2 ");
  EXPECT_EQ(world.complaint({"-H", "+n0", "p"}),
            "'+n0' counts hosts of a hostfile, and there is none");
  EXPECT_EQ(world.complaint({"--hostfile", "hf", "-H", "+n3", "p"}),
            "+n must be from 0 to 2, not 3");
  EXPECT_EQ(world.complaint({"--hostfile", "hf", "--hostfile", "hf", "p"}),
            "--hostfile is given twice for one program");
  EXPECT_EQ(world.complaint({"--hostfile", "no", "p"}), "no such file");
  world.environment = {"OMPI_MCA_orte_default_hostfile=hf"};
  EXPECT_EQ(names({"p"}), "a:4 b:2 c:2 ");
}

TEST(Mpirun, SplitsPrograms) {
  const auto job = spec({"-n", "1", "-x", "A=1", "-H", "a", "p", "x", ":", "-n", "2", "-wdir", "w",
                         "-H", "b:2", "q"});
  ASSERT_EQ(job.apps.size(), 2U);
  EXPECT_EQ(job.apps[0].command, (Words{"p", "x"}));
  EXPECT_EQ(job.apps[1].workdir, "/here/w");
  EXPECT_EQ(job.apps[1].hosts, Words{"b"});
  EXPECT_TRUE(exports(job, 1).empty());
  EXPECT_EQ(complaint({"-n", "1", "p", ":"}), "no program given after ':'");
}

// Open MPI 4.1.4 hears them too, by trial: --timeout, --tag-output and --map-by behind ':'.
TEST(Mpirun, OptionsForTheJobCountWhereverTheyStand) {
  EXPECT_FALSE(spec({"p", ":", "--tag-output", "q"}).output.prefix.empty());
  EXPECT_EQ(spec({"p", ":", "--timeout", "5", "q"}).timeout, std::chrono::seconds(5));
  EXPECT_EQ(spec({"-H", "a,b", "p", ":", "--map-by", "node", "q"}).mapping.map_by, MapBy::node);
  EXPECT_EQ(World().notices({"p", ":", "--tag-output", "q"}), Words{});
  EXPECT_EQ(complaint({"p", ":", "--app", "apps"}), "--app must stand before the first program");
  World world;
  world.files["apps"] = "-n 2 ./a\n--timeout 5 -n 1 ./b\n";
  EXPECT_EQ(world.spec({"--app", "apps"}).timeout, std::chrono::seconds(5));
  world.files["apps"] = "-n 2 ./a\n--app more\n";
  EXPECT_EQ(world.complaint({"--app", "apps"}), "--app must stand before the first program");
}

// Whatever the way in which a parameter for mpirun itself is given: it is carried out, or named.
TEST(Mpirun, ParametersForItselfAreHeardFromWherever) {
  World world{.files = {},
              .environment = {"HOME=/home/me", "OMPI_MCA_plm_base_verbose=5",
                              "PRTE_MCA_rmaps_default_mapping_policy=node",
                              "PRTE_MCA_state_base_verbose=1", "OMPI_MCA_btl=^openib"}};
  EXPECT_EQ(world.spec({"-H", "a,b", "p"}).mapping.map_by, MapBy::node);
  EXPECT_EQ(world.notices({"-H", "a,b", "p"}),
            (Words{"OMPI_MCA_plm_base_verbose has no effect here: it is for mpirun's own work",
                   "PRTE_MCA_state_base_verbose has no effect here: it is for mpirun's own work"}));
  world.environment = {"HOME=/home/me"};
  world.files["/home/me/.prte/mca-params.conf"] = "prte_tag_output = 1\noob = tcp\n";
  EXPECT_FALSE(world.spec({"p"}).output.prefix.empty());
  EXPECT_EQ(world.notices({"p"}),
            Words{"MCA parameter oob has no effect here: it is for mpirun's own work"});
  world.files["/etc/openmpi/openmpi-mca-params.conf"] =
      "btl = ^uct\nrmaps_base_mapping_policy = node\n";
  EXPECT_EQ(world.spec({"-H", "a,b", "p"}).mapping.map_by, MapBy::node);
  EXPECT_EQ(world.spec({"--map-by", "slot", "-H", "a,b", "p"}).mapping.map_by, MapBy::slot);
  world.environment = {"HOME=/home/me", "OMPI_MCA_mca_base_param_files=/mine"};
  EXPECT_EQ(world.complaint({"p"}), "no such file");
  world.files["/mine"] = "orte_tag_output = 1\n";
  EXPECT_FALSE(world.spec({"-H", "a,b", "p"}).output.prefix.empty());
  EXPECT_NE(world.spec({"-H", "a,b", "p"}).mapping.map_by, MapBy::node);
}

// By trial: 5.0.7 takes vader for sm, and 4.1.4 ends in MPI_Init with sm.
TEST(Mpirun, NewNamesOfParametersAreHeardByOldLibrariesToo) {
  using Settings = std::vector<model::EnvSetting>;
  EXPECT_EQ(exports(spec({"-mca", "btl", "sm,self", "p"})),
            (Settings{{"OMPI_MCA_btl", "vader,self"}}));
  EXPECT_EQ(exports(spec({"-mca", "btl", "^sm,openib", "p"})),
            (Settings{{"OMPI_MCA_btl", "^vader,openib"}}));
  EXPECT_EQ(exports(spec({"-gmca", "btl_sm_free_list_num", "8", "p"})),
            (Settings{{"OMPI_MCA_btl_vader_free_list_num", "8"},
                      {"OMPI_MCA_btl_sm_free_list_num", "8"}}));
  EXPECT_EQ(exports(spec({"-mca", "btl", "vader,self,tcp", "p"})),
            (Settings{{"OMPI_MCA_btl", "vader,self,tcp"}}));
  const World world{.environment = {"OMPI_MCA_btl=sm,self", "OMPI_MCA_btl_sm_fbox_max=2"}};
  EXPECT_EQ(exports(world.spec({"p"})), (Settings{{"OMPI_MCA_btl", "vader,self"},
                                                  {"OMPI_MCA_btl_vader_fbox_max", "2"},
                                                  {"OMPI_MCA_btl_sm_fbox_max", "2"}}));
  EXPECT_TRUE(exports(World{.environment = {"OMPI_MCA_btl=^openib"}}.spec({"p"})).empty());
}

// A rank of a real mpirun has them for itself.
TEST(Mpirun, WhatAnotherMpirunToldItsRankIsPassedOver) {
  const World world{.files = {},
                    .environment = {"OMPI_MCA_ess=^singleton", "OMPI_MCA_orte_launch=1",
                                    "OMPI_MCA_orte_hnp_uri=1.0;tcp://192.0.2.2:1",
                                    "OMPI_MCA_orte_ess_num_procs=2"}};
  EXPECT_EQ(world.notices({"p"}), Words{});
}

TEST(Mpirun, ReadsAppfilesAndRankfiles) {
  World world;
  world.files["apps"] = "# programs\n-n 2 ./a one\n  -n 1 -x B=2 ./b // the end\n";
  const auto job = world.spec({"--app", "apps"});
  ASSERT_EQ(job.apps.size(), 2U);
  EXPECT_EQ(job.apps[0].command, (Words{"./a", "one"}));
  EXPECT_EQ(exports(job, 1), (std::vector<model::EnvSetting>{{"B", "2"}}));
  EXPECT_EQ(world.notices({"-n", "3", "--app", "apps"}),
            Words{"--app: options for programs count in apps only, not beside it"});
  world.files["apps"] = "-n 2 ./a\n -n x ./b\n";
  EXPECT_EQ(to_string(world.read({"--app", "apps"}).error()).substr(0, 12), "apps:2:2: -n");
  world.files["ranks"] = "rank 0=a slot=0:0-1\n";
  const auto ranked = world.spec({"-rf", "ranks", "-H", "a", "p"});
  EXPECT_EQ(ranked.mapping.map_by, MapBy::rankfile);
  EXPECT_EQ(ranked.mapping.rankfile.size(), 1U);
  EXPECT_EQ(world.spec({"--map-by", "rankfile:file=ranks", "-H", "a", "p"}).mapping,
            ranked.mapping);
}

TEST(Mpirun, HandsParametersOn) {
  const auto job = spec({"-mca", "btl", "\"self,tcp\"", "-gmca", "pml", "ob1", "p", ":", "q"});
  EXPECT_EQ(exports(job), (std::vector<model::EnvSetting>{{"OMPI_MCA_pml", "ob1"},
                                                          {"OMPI_MCA_btl", "self,tcp"}}));
  EXPECT_EQ(exports(job, 1), (std::vector<model::EnvSetting>{{"OMPI_MCA_pml", "ob1"}}));
  EXPECT_EQ(complaint({"-mca", "btl", "self", "--mca", "btl", "self", "p"}),
            "--mca btl is given twice");
  EXPECT_EQ(World().notices({"-mca", "oob", "tcp", "-mca", "plm_rsh_no_tree_spawn", "1", "p"}),
            Words{"MCA parameter oob has no effect here: it is for mpirun's own work"});
}

TEST(Mpirun, HonoursParametersOfItsOwnWork) {
  const auto job = spec({"-mca", "plm_rsh_agent", "kubexec.sh -q : rsh", "-mca", "plm_rsh_args",
                         "-p 22 -i 'a key'", "-mca", "plm_rsh_num_concurrent", "300", "-mca",
                         "odls_base_sigkill_timeout", "2", "p"});
  EXPECT_EQ(job.carrier.command, (Words{"kubexec.sh", "-q", "-p", "22", "-i", "a key"}));
  EXPECT_EQ(job.carrier.parallel, 300U);
  EXPECT_EQ(job.grace, std::chrono::seconds(2));
  World world;
  world.environment = {"HOME=/home/me", "PRTE_MCA_plm_ssh_agent=ssh5",
                       "OMPI_MCA_rmaps_base_mapping_policy=node"};
  world.files["/home/me/.openmpi/mca-params.conf"] =
      "# mine\nplm_rsh_agent = /opt/ssh\nhwloc_base_binding_policy = none\n";
  const auto inherited = world.spec({"p"});
  EXPECT_EQ(inherited.carrier.command, Words{"ssh5"});
  EXPECT_EQ(inherited.mapping.map_by, MapBy::node);
  EXPECT_TRUE(inherited.mapping.bind_given);
  EXPECT_EQ(world.spec({"--map-by", "slot", "p"}).mapping.map_by, MapBy::slot);
  EXPECT_EQ(complaint({"-mca", "orte_tag_output", "perhaps", "p"}),
            "orte_tag_output must be 0 or 1, not 'perhaps'");
}

TEST(Mpirun, ReadsTuneFiles) {
  World world;
  world.files["/here/t"] = "-x A=\"1 2\" -mca btl self\n--mca pml \"ob1\"\ncoll = ^hcoll\n";
  EXPECT_EQ(exports(world.spec({"--tune", "t", "p"})),
            (std::vector<model::EnvSetting>{{"A", "1 2"},
                                            {"OMPI_MCA_btl", "self"},
                                            {"OMPI_MCA_pml", "ob1"},
                                            {"OMPI_MCA_coll", "^hcoll"}}));
  world.files["/here/t"] = "btl self\n";
  EXPECT_EQ(to_string(world.read({"-am", "t", "p"}).error()),
            "t:1:1: 'btl self' has no value\n  hint: write NAME = VALUE");
}

TEST(Mpirun, ExportsVariables) {
  World world;
  world.environment = {"PATH=/bin", "NCCL_A=1", "NCCL_B=2"};
  const auto job = world.spec({"-x", "PATH", "-x", "NCCL_*", "-x", "C=3", "p"});
  EXPECT_EQ(exports(job), (std::vector<model::EnvSetting>{
                              {"PATH", {}}, {"NCCL_A", "1"}, {"NCCL_B", "2"}, {"C", "3"}}));
  EXPECT_EQ(world.notices({"-x", "NONE", "-x", "NONE", "p"}),
            Words{"-x NONE: no such variable is set; ranks start without it"});
  EXPECT_EQ(exports(world.spec({"--prefix", "/opt/mpi", "p"})),
            (std::vector<model::EnvSetting>{{"PATH", "/opt/mpi/bin:/bin"},
                                            {"LD_LIBRARY_PATH", "/opt/mpi/lib"}}));
  EXPECT_EQ(exports(world.spec({"-mca", "mca_base_env_list", "PATH;W=3", "p"})).size(), 3U);
  EXPECT_EQ(world.complaint({"-mca", "mca_base_env_list", "PATH", "-x", "A=1", "p"}),
            "-x and mca_base_env_list cannot be combined");
}

TEST(Mpirun, LimitsTime) {
  World world;
  EXPECT_EQ(world.spec({"--timeout", "5", "p"}).timeout, std::chrono::seconds(5));
  world.environment = {"MPIEXEC_TIMEOUT=7"};
  EXPECT_EQ(world.spec({"p"}).timeout, std::chrono::seconds(7));
  EXPECT_EQ(world.complaint({"--timeout", "5", "p"}), "--timeout differs from MPIEXEC_TIMEOUT=7");
  EXPECT_EQ(world.spec({"--timeout", "7", "p"}).timeout, std::chrono::seconds(7));
  EXPECT_EQ(spec({"--runtime-options", "timeout=3", "p"}).timeout, std::chrono::seconds(3));
  EXPECT_EQ(complaint({"--runtime-options", "foo=3", "p"}), "--runtime-options knows no 'foo=3'");
}

TEST(Mpirun, SaysWhatItStandsInFor) {
  const auto version = World().read({"--version"});
  ASSERT_TRUE(version);
  EXPECT_TRUE(version->text.starts_with("mpirun (Open MPI) 4.1.4\n"));
  EXPECT_TRUE(World().read({"-h"})->text.starts_with("muster mpirun: "));
}

TEST(Mpirun, DropsNothingSilently) {
  EXPECT_EQ(World().notices({"--report-uri", "-", "p"}),
            Words{"--report-uri has no effect here: muster listens nowhere"});
  EXPECT_EQ(World().notices({"-q", "--report-uri", "-", "p"}), Words{});
  EXPECT_EQ(complaint({"--dvm", "p"}), "--dvm: muster starts agents for each job");
  EXPECT_EQ(complaint({"-ppn", "2", "p"}), "unknown option '-ppn'");
  EXPECT_EQ(complaint({}), "no program given");
}

// Every option alone, without its value, with an empty one and with nonsense: one line or a
// request, never a broken promise.
TEST(Mpirun, AnswersEveryOptionInOneLine) {
  for (const OptionText* option : mpirun_options()) {
    for (const std::string_view name : names_of(*option)) {
      for (const Words& tail : {Words{},
                                {""},
                                {"\xff\x01", "p"},
                                {"-1", "p"},
                                {"", "", "p"},
                                {"99999999999999999999", "p"},
                                {":", "p"}}) {
        Words words{std::string(name)};
        words.insert(words.end(), tail.begin(), tail.end());
        const auto reading = World().read(words);
        const std::string what = reading ? "" : reading.error().what;
        EXPECT_EQ(what.find('\n'), std::string::npos) << name;
        EXPECT_TRUE(!reading || !reading->request || !reading->request->spec.apps.empty());
      }
      if (option->takes == Takes::nothing || option->traits.ends) continue;
      const std::string needs = std::string(name) + " needs";
      EXPECT_TRUE(complaint({std::string(name)}).starts_with(needs)) << name;
    }
  }
}

}  // namespace
}  // namespace muster::front::mpirun_front_test
