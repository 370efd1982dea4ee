// The words of mpiexec.hydra: what they become, and what is said about wrong ones.
#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "front/hydra/front.hpp"

namespace muster::front::hydra_front_test {
namespace {

using model::BindTo;
using model::EnvSetting;
using model::Level;
using model::MapBy;
using Words = std::vector<std::string>;
using Files = std::map<std::string, std::string>;

struct Surroundings {
  std::vector<std::string> environment = {};
  Files files = {};
};

base::Result<Reading> read(const Words& words, const Surroundings& around = {}) {
  return read_hydra({.called = "mpiexec.hydra",
                     .words = words,
                     .environment = around.environment,
                     .current_folder = "/here",
                     .read_file = [&](const std::string& path, std::size_t) {
                       const auto found = around.files.find(path);
                       if (found != around.files.end())
                         return base::Result<std::string>(found->second);
                       return base::Result<std::string>(
                           base::fail_at({path, 0, 0}, base::Fault::bad_file, "", "no such file"));
                     }});
}

Reading reading(const Words& words, const Surroundings& around = {}) {
  auto result = read(words, around);
  if (result && result->request) return *result;
  ADD_FAILURE() << (result ? "no request" : to_string(result.error()));
  return {.request = RunRequest{}};
}

model::JobSpec spec(const Words& words, const Surroundings& around = {}) {
  return reading(words, around).request->spec;
}

std::string complaint(const Words& words, const Surroundings& around = {}) {
  const auto result = read(words, around);
  if (result) return "no complaint";
  EXPECT_EQ(result.error().what.find('\n'), std::string::npos);
  return result.error().what;
}

// Without what every rank gets.
std::vector<EnvSetting> exports(const Words& words, const Surroundings& around = {}) {
  auto all = spec(words, around).apps.front().exports;
  EXPECT_EQ(all.front().name, "GFORTRAN_UNBUFFERED_PRECONNECTED");
  all.erase(all.begin());
  return all;
}

TEST(HydraFront, DashesAndCaseDoNotMatter) {
  const auto plain = spec({"-n", "3", "-ppn", "2", "prog"});
  EXPECT_EQ(plain.apps.front().ranks, 3U);
  EXPECT_EQ(plain.per_node, 2U);
  EXPECT_EQ(plain.slot_rule, model::SlotRule::hydra);
  for (const Words& words :
       {Words{"--n", "3", "-PPN", "2", "prog"}, Words{"---n=3", "--ppn=2", "prog"},
        Words{"-NP=3", "-PerHost=2", "prog"}}) {
    EXPECT_EQ(spec(words), plain);
  }
}

TEST(HydraFront, ReadsProgramsWithColons) {
  const auto job = spec({"-n", "1", "-wdir", "sub", "a", "-n", "9", ":", "-n", "2", "b", ":", "c"});
  ASSERT_EQ(job.apps.size(), 3U);
  EXPECT_EQ(job.apps[0].command, (Words{"a", "-n", "9"}));
  EXPECT_EQ(job.apps[0].workdir, "/here/sub");
  EXPECT_EQ(job.apps[1].workdir, "/here");
  EXPECT_EQ(job.apps[1].ranks, 2U);
  EXPECT_EQ(job.apps[2].ranks, std::nullopt);
}

TEST(HydraFront, AnOptionStandsOnce) {
  EXPECT_EQ(complaint({"-n", "1", "-np", "2", "a"}), "-np '2' and -n '1' cannot be combined");
  EXPECT_EQ(complaint({"-n", "1", "-n", "1", "a"}), "-n is given twice");
  EXPECT_EQ(complaint({"-l", "-prepend-rank", "a"}), "-prepend-rank is given twice");
  EXPECT_EQ(complaint({"-ppn", "1", "a", ":", "-ppn", "1", "b"}), "-ppn is given twice");
  EXPECT_EQ(complaint({"-l", "-prepend-pattern", "x", "a"}),
            "-prepend-pattern: a prefix is given already");
  EXPECT_EQ(complaint({"-hosts", "a", "-f", "b", "a"}), "-f: the hosts are given already");
  EXPECT_EQ(complaint({"-envnone", "-envlist", "A", "a"}),
            "-envlist and -envnone cannot be combined");
  EXPECT_TRUE(read({"-n", "1", "a", ":", "-n", "1", "b"}));
  EXPECT_TRUE(read({"-v", "-verbose", "a"}));
}

TEST(HydraFront, SaysWhatIsMissing) {
  EXPECT_EQ(complaint({}), "no program given");
  EXPECT_EQ(complaint({"-n", "2"}), "no program given");
  EXPECT_EQ(complaint({"a", ":"}), "no program given after ':'");
  EXPECT_EQ(complaint({":", "a"}), "no program given");
  EXPECT_EQ(complaint({"-bnid-to", "core", "a"}), "unknown option '-bnid-to'");
}

TEST(HydraFront, GivesVariablesInTheOrderThatWins) {
  EXPECT_EQ(exports({"-env", "A", "1", "-genv", "A", "2", "-genv=B=3", "prog"}),
            (std::vector<EnvSetting>{{"A", "2"}, {"B", "3"}, {"A", "1"}}));
  EXPECT_EQ(exports({"-env", "A=x y", "prog"}), (std::vector<EnvSetting>{{"A", "x y"}}));
  const auto both = spec({"a", ":", "-genv", "X", "1", "b"});
  EXPECT_EQ(both.apps[0].exports, both.apps[1].exports);
  EXPECT_EQ(complaint({"-genv", "=1", "a"}), "-genv: '' is not a variable name");
}

TEST(HydraFront, InheritsAsTold) {
  const auto is_clean = [](const Words& words, const Surroundings& around = {}) {
    return spec(words, around).apps.front().clean;
  };
  EXPECT_FALSE(is_clean({"a"}));
  EXPECT_TRUE(is_clean({"-genvnone", "a"}));
  EXPECT_TRUE(is_clean({"-envnone", "a"}));
  EXPECT_FALSE(is_clean({"-genvnone", "-envall", "a"}));
  EXPECT_TRUE(is_clean({"a"}, {{"HYDRA_ENV=none"}}));
  EXPECT_FALSE(is_clean({"a"}, {{"HYDRA_ENV=all"}}));
  const auto listed = reading({"-genvlist", "A,B", "a"}, {{"A=1"}});
  EXPECT_TRUE(listed.request->spec.apps.front().clean);
  EXPECT_EQ(listed.request->spec.apps.front().exports.back(), (EnvSetting{"A", std::nullopt}));
  EXPECT_EQ(listed.notices, (Words{"-genvlist: B is not set here"}));
}

TEST(HydraFront, EachProgramInheritsAsItIsTold) {
  const auto job = spec(
      {"-genvlist", "A", "-envall", "a", ":", "-envnone", "b", ":", "c", ":", "-envlist", "B", "d"},
      {{"A=1", "B=2"}});
  std::vector<std::string> told;
  for (const model::App& app : job.apps) {
    told.push_back(app.clean ? "clean" : "all");
    for (const EnvSetting& one : app.exports) {
      if (!one.value) told.back() += " " + one.name;
    }
  }
  EXPECT_EQ(told, (Words{"all", "clean", "clean A", "clean B"}));
}

TEST(HydraFront, FindsHosts) {
  const auto list = spec({"-hosts", "a:2,b", "prog"});
  EXPECT_EQ(list.source, model::kHostsListed);
  ASSERT_EQ(list.hosts.size(), 2U);
  EXPECT_EQ(list.hosts[0].slots, 2U);
  const Files files = {{"hosts", "a:2 user=bob # one\nb\n"}};
  for (const auto& job :
       {spec({"-f", "hosts", "p"}, {{}, files}), spec({"p"}, {{"HYDRA_HOST_FILE=hosts"}, files}),
        spec({"p"}, {{"I_MPI_HYDRA_HOST_FILE=hosts"}, files})}) {
    EXPECT_EQ(job.source, model::kHostsInFile);
    ASSERT_EQ(job.hosts.size(), 2U);
    EXPECT_EQ(job.hosts[0].user, "bob");
  }
  EXPECT_TRUE(spec({"-f", "HYDRA_USE_LOCALHOST", "p"}).hosts.empty());
  EXPECT_TRUE(spec({"-fake-nodes", "2", "p"}, {{"HYDRA_HOST_FILE=hosts"}, files}).hosts.empty());
  EXPECT_EQ(complaint({"-f", "none", "p"}), "no such file");
}

// As Hydra 4.0.2 takes them, by trial.
TEST(HydraFront, ListsMayHaveCommasWithoutHosts) {
  const auto names = [](const model::JobSpec& job) {
    std::string all;
    for (const auto& host : job.hosts) all += host.name;
    return all;
  };
  EXPECT_EQ(names(spec({"-hosts", "a,,b", "p"})), "ab");
  EXPECT_EQ(names(spec({"-hosts", ",a,,b,,", "p"})), "ab");
  EXPECT_EQ(names(spec({"-host", "a,", "p", ":", "-host", ",b", "q"})), "ab");
  EXPECT_EQ(complaint({"-hosts", ",", "p"}), "entry 1 is empty");
}

TEST(HydraFront, SortsHostsBySlots) {
  const auto names = [](const model::JobSpec& job) {
    std::string all;
    for (const auto& host : job.hosts) all += host.name;
    return all;
  };
  EXPECT_EQ(names(spec({"-order-nodes", "up", "-hosts", "a:2,b:1,c:3", "p"})), "bac");
  EXPECT_EQ(names(spec({"-order-nodes", "DESCENDING", "-hosts", "a:2,b:1,c:3", "p"})), "cab");
  EXPECT_EQ(names(spec({"-order-nodes", "up", "-ppn", "1", "-hosts", "a:2,b:1", "p"})), "ab");
  EXPECT_EQ(complaint({"-order-nodes", "sideways", "p"}),
            "-order-nodes must be UP or DOWN, not 'sideways'");
}

std::string mapped(const std::string& map, const std::string& ranks) {
  std::string all;
  const auto job = spec({"-hosts", "a:2,b,c", "-rankmap", map, "-n", ranks, "p"});
  EXPECT_EQ(job.mapping.map_by, MapBy::seq);
  for (const auto& host : job.hosts) all += host.name;
  return all;
}

TEST(HydraFront, MapsRanks) {
  EXPECT_EQ(mapped("1,1,0", "3"), "bba");
  EXPECT_EQ(mapped("1,1,0", "5"), "bbabb");
  EXPECT_EQ(mapped("(vector,(0,2,2),(2,1,1))", "5"), "aabbc");
  EXPECT_EQ(mapped("(1,2,1),0", "3"), "bca");
  EXPECT_EQ(spec({"-hosts", "a,b", "-rankmap", "0,1,1", "p"}).apps.front().ranks, 3U);
  EXPECT_EQ(complaint({"-hosts", "a,b", "-rankmap", "0,2", "p"}),
            "-rankmap speaks of host 2, and 2 hosts are given");
  for (const char* map : {"x", "(0,1", "(0,1)", "0,", "(0,0,1)", "(0,1,1)(0,1,1)", ",", "[0]x2",
                          "(0,1000000,1000000)", "(vector,)"}) {
    EXPECT_NE(complaint({"-hosts", "a,b", "-rankmap", map, "p"}), "no complaint") << map;
  }
}

TEST(HydraFront, AHostWrittenAgainTakesRanksAgain) {
  const auto names = [](const Words& words) {
    std::string all;
    const auto job = spec(words);
    for (const auto& host : job.hosts) all += host.name;
    return all + (job.mapping.map_by == MapBy::seq ? " seq" : "");
  };
  EXPECT_EQ(names({"-hosts", "a:2,b,a", "p"}), "aaba seq");
  EXPECT_EQ(names({"-hosts", "a:2,b,a", "-n", "6", "p"}), "aabaaa seq");
  EXPECT_EQ(names({"-hosts", "a:2,b,a", "-ppn", "1", "p"}), "aba seq");
  EXPECT_EQ(names({"-hosts", "a:2,a,b", "p"}), "aab");
}

TEST(HydraFront, Binds) {
  const auto two = spec({"-bind-to", "core:2", "-map-by", "Socket", "p"}).mapping;
  EXPECT_EQ(two.bind_to, BindTo::object);
  EXPECT_EQ(two.bind_level, Level::core);
  EXPECT_EQ(two.bind_width, 2U);
  EXPECT_EQ(two.map_by, MapBy::object);
  EXPECT_EQ(two.level, Level::package);
  EXPECT_EQ(spec({"-binding", "none", "p"}).mapping.bind_to, BindTo::none);
  EXPECT_EQ(spec({"-bind-to", "rr", "p"}).mapping.bind_to, BindTo::rr);
  EXPECT_EQ(spec({"-bind-to", "l3dcache", "p"}).mapping.bind_level, Level::l3cache);
  const auto user = spec({"-bind-to", "user:0+2,1", "p"}).mapping;
  EXPECT_EQ(user.bind_to, BindTo::user);
  ASSERT_EQ(user.user_sets.size(), 2U);
  EXPECT_EQ(to_string(user.user_sets[0]), "0,2");
  const auto ranges = spec({"-bind-to", "user:0-3+8,1x2,5", "p"}).mapping.user_sets;
  ASSERT_EQ(ranges.size(), 4U);
  EXPECT_EQ(to_string(ranges[0]), "0-3,8");
  EXPECT_EQ(to_string(ranges[2]), "1") << "as Hydra 4.0.2 has it, by trial";
  for (const char* gpu : {"gpu", "GPU:1"}) {
    EXPECT_EQ(spec({"-bind-to", gpu, "p"}).mapping.bind_to, BindTo::gpu);
    EXPECT_EQ(spec({"-map-by", gpu, "-bind-to", gpu, "p"}).mapping.bind_to, BindTo::gpu);
  }
  EXPECT_FALSE(spec({"-map-by", "gpu", "-bind-to", "gpu", "p"}).mapping.map_given);
  EXPECT_EQ(complaint({"-map-by", "gpu", "-bind-to", "core", "p"}),
            "-map-by gpu goes with -bind-to gpu alone");
  EXPECT_EQ(complaint({"-map-by", "gpu", "-bind-to", "eth", "p"}),
            "-map-by gpu goes with -bind-to gpu alone");
  EXPECT_EQ(complaint({"-map-by", "core", "-bind-to", "gpu", "p"}),
            "-bind-to gpu takes the GPUs in turn, and no other -map-by");
  for (const auto& [words, near, width] : {std::tuple("gpu0", "gpu0", 1U),
                                           {"gpu:2", "gpu", 2U},
                                           {"ib:2", "ib", 2U},
                                           {"ib0", "ib0", 1U},
                                           {"eth", "eth", 1U},
                                           {"eno1", "eno1", 1U},
                                           {"HFI", "hfi", 1U},
                                           {"mlx5_0", "mlx5_0", 1U}}) {
    const auto mapping = spec({"-bind-to", words, "p"}).mapping;
    EXPECT_EQ(mapping.bind_to, BindTo::gpu) << words;
    EXPECT_EQ(mapping.near, near);
    EXPECT_EQ(mapping.bind_width, width);
    EXPECT_EQ(
        complaint({"-map-by", words, "-bind-to", "core", "p"}),
        fmt::format("-map-by '{}': ranks are bound near devices, but not mapped by them", words));
  }
  EXPECT_EQ(complaint({"-bind-to", "user:", "p"}), "-bind-to 'user:' names no cpu");
  EXPECT_EQ(complaint({"-bind-to", "pci:1", "p"}),
            "-bind-to 'pci:1': devices are not known by their PCI addresses");
  for (const char* place : {"ib:0", "eth:x", "cpu", "core:0", "core:x", "core:", "l4cache",
                            "user:", "user:a", "user:99999", "user:3-1", "user:0-", "user:1x",
                            "user:1x0", "user:x2", "user:0x9999,1x9999"}) {
    EXPECT_NE(complaint({"-bind-to", place, "p"}), "no complaint") << place;
  }
}

TEST(HydraFront, BindsMemory) {
  using model::IfRefused;
  using model::MemoryMode;
  const auto memory = [](const char* policy) {
    return spec({"-membind", policy, "p"}).mapping.memory;
  };
  const auto wish = [](MemoryMode mode, model::CpuSet nodes, bool own) {
    return model::MemoryWish{mode, std::move(nodes), own, IfRefused::tell};
  };
  EXPECT_EQ(memory("none").mode, MemoryMode::inherited);
  EXPECT_EQ(memory("firsttouch"), wish(MemoryMode::local, {}, false));
  EXPECT_EQ(memory("bind:0,2"), wish(MemoryMode::bind, *model::parse_cpu_set("0,2"), false));
  EXPECT_EQ(memory("bind:"), wish(MemoryMode::bind, {}, true));
  EXPECT_EQ(memory("Interleave:1"), wish(MemoryMode::interleave, model::CpuSet::of(1), false));
  EXPECT_EQ(memory("nexttouch").mode, MemoryMode::inherited);
  const auto next = read({"-membind", "nexttouch", "p"});
  ASSERT_TRUE(next);
  EXPECT_EQ(next->notices, (Words{"-membind nexttouch has no effect: Linux has no such policy"}));
  EXPECT_EQ(complaint({"-membind", "replicate:0", "p"}),
            "-membind must be none, firsttouch, nexttouch, bind:LIST or interleave:LIST, not "
            "'replicate:0'");
  EXPECT_EQ(complaint({"-membind", "bind:x", "p"}),
            "-membind needs numbers of NUMA nodes, such as 0 or 0-1, not 'x'");
}

TEST(HydraFront, DealsDevicesOut) {
  EXPECT_EQ(spec({"-g", "2", "p"}).gpus_per_rank, 2U);
  EXPECT_EQ(spec({"-gpus-per-proc", "AUTO", "p"}).gpus_per_rank, 0U);
  EXPECT_EQ(exports({"-gpus-per-proc=0", "p"}),
            (std::vector<EnvSetting>{{"CUDA_VISIBLE_DEVICES", "-1"}}));
  EXPECT_EQ(complaint({"-g", "many", "p"}),
            "-g must be AUTO or a number from 0 to 1024, not 'many'");
}

TEST(HydraFront, NamesTheInterface) {
  const std::vector<EnvSetting> wanted = {{"MPIR_CVAR_NEMESIS_TCP_NETWORK_IFACE", "eth1"},
                                          {"GLOO_SOCKET_IFNAME", "eth1"},
                                          {"NCCL_SOCKET_IFNAME", "=eth1"}};
  EXPECT_EQ(exports({"-iface", "eth1", "p"}), wanted);
  EXPECT_EQ(exports({"p"}, {{"HYDRA_IFACE=eth1"}}), wanted);
  EXPECT_EQ(exports({"-iface", "eth1", "p"}, {{"HYDRA_IFACE=eth0"}}), wanted);
}

TEST(HydraFront, ReachesHosts) {
  EXPECT_EQ(spec({"p"}).carrier.command, (Words{"ssh"}));
  EXPECT_EQ(spec({"-launcher-exec", "ssh -F conf", "p"}).carrier.command,
            (Words{"ssh", "-F", "conf"}));
  const Surroundings around{{"HYDRA_LAUNCHER=ssh", "HYDRA_LAUNCHER_EXEC=/bin/my-ssh",
                             "HYDRA_LAUNCHER_EXTRA_ARGS=-q '-o X=1'"}};
  EXPECT_EQ(spec({"p"}, around).carrier.command, (Words{"/bin/my-ssh", "-q", "-o X=1"}));
  EXPECT_EQ(spec({"-launcher", "fork", "p"}).carrier.command.front(), "/bin/sh");
  EXPECT_NE(spec({"-bootstrap", "slurm", "-bootstrap-exec", "/opt/my srun", "p"})
                .carrier.command[2]
                .find("exec /opt/my srun --nodes=1"),
            std::string::npos);
  const Surroundings slurms{
      {"HYDRA_BOOTSTRAP=slurm", "HYDRA_LAUNCHER_EXTRA_ARGS=--external-launcher"}};
  EXPECT_EQ(spec({"p"}, slurms).carrier.command, (Words{"ssh"}));
  EXPECT_EQ(spec({"-launcher", "ssh", "p"}, slurms).carrier.command, (Words{"ssh"}));
  EXPECT_EQ(complaint({"-launcher", "slurm", "p"}),
            "-launcher slurm works inside a Slurm job, and this is not one");
  EXPECT_EQ(spec({"-launcher", "rsh", "p"}).carrier.command, (Words{"rsh"}));
  EXPECT_EQ(complaint({"-launcher", "ll", "p"}),
            "-launcher must be ssh, rsh, fork, slurm, lsf, sge or pbs here, not 'll'");
  EXPECT_EQ(complaint({"p"}, {{"HYDRA_LAUNCHER=warp"}}),
            "HYDRA_LAUNCHER must be ssh, rsh, fork, slurm, lsf, sge or pbs, not 'warp'");
}

const Surroundings kGridEngine{{"SGE_ROOT=/sge", "JOB_ID=7", "PE_HOSTFILE=/pe"},
                               {{"/pe", "n1 2 q@n1 UNDEFINED\nn2 2 q@n2 UNDEFINED\n"}}};

TEST(HydraFront, StartsAsABatchSystemDoes) {
  const auto job = spec({"-launcher", "sge", "-hosts", "n2", "p"}, kGridEngine);
  EXPECT_EQ(job.hosts.size(), 1U);
  EXPECT_EQ(job.carrier.command.back(), "qrsh -inherit");
  Surroundings own = kGridEngine;
  own.environment.insert(own.environment.end(),
                         {"HYDRA_LAUNCHER=sge", "HYDRA_LAUNCHER_EXEC=/opt/qrsh"});
  EXPECT_NE(spec({"p"}, own).carrier.command[2].find("exec /opt/qrsh -inherit"), std::string::npos);
  const auto pbs = spec({"-launcher", "pbs", "-launcher-exec", "ssh -q", "p"},
                        {{"PBS_JOBID=7", "PBS_NODEFILE=/n"}, {{"/n", "n1\n"}}});
  EXPECT_EQ(pbs.carrier.command, (Words{"ssh", "-q"}));
  EXPECT_EQ(pbs.carrier.wrapper.back(), "7");
  EXPECT_EQ(complaint({"-launcher", "lsf", "p"}),
            "-launcher lsf works inside a LSF job, and this is not one");
  EXPECT_EQ(complaint({"-launcher", "pbs", "p"}, kGridEngine),
            "-launcher pbs works inside a PBS job, and this is not one");
}

TEST(HydraFront, TakesTheHostsOfOneBatchSystem) {
  EXPECT_EQ(spec({"-rmk", "sge", "p"}, kGridEngine).source_name, "Grid Engine job 7");
  EXPECT_EQ(spec({"-rmk", "SGE", "-hosts", "x", "p"}, kGridEngine).hosts.front().name, "x");
  EXPECT_FALSE(spec({"-rmk", "user", "p"}, kGridEngine).source.has_list);
  EXPECT_EQ(complaint({"-rmk", "pbs", "p"}, kGridEngine),
            "-rmk pbs takes the hosts of a PBS job, and none is around");
  EXPECT_EQ(complaint({"-rmk", "slurm", "p"}, kGridEngine),
            "-rmk slurm takes the hosts of a Slurm job, and none is around");
  EXPECT_EQ(complaint({"-rmk", "warp", "p"}),
            "-rmk must be user, slurm, ll, lsf, sge, pbs or cobalt, not 'warp'");
  Surroundings both = kGridEngine;
  both.environment.insert(both.environment.end(), {"PBS_JOBID=8", "PBS_NODEFILE=/n"});
  both.files["/n"] = "p1\n";
  EXPECT_EQ(spec({"p"}, both).source_name, "PBS job 8");
  const auto chosen = spec({"-rmk", "sge", "p"}, both);
  EXPECT_EQ(chosen.source_name, "Grid Engine job 7");
  EXPECT_EQ(chosen.carrier.command.back(), "qrsh -inherit");
  both.environment.emplace_back("HYDRA_RMK=sge");
  EXPECT_EQ(spec({"p"}, both).source_name, "Grid Engine job 7");
  EXPECT_EQ(spec({"p"}, {{"HYDRA_RMK=slurm"}}).source_name, "");
}

TEST(HydraFront, TheFileIsWeakerThanTheLine) {
  const Files files = {{"conf", "-ppn 3 -genv A file -hosts x,y # more\n"}};
  const auto job =
      spec({"-configfile", "conf", "-ppn", "2", "-genv", "A", "line", "p"}, {{}, files});
  EXPECT_EQ(job.per_node, 2U);
  EXPECT_EQ(job.hosts.size(), 2U);
  EXPECT_EQ(job.apps.front().exports.back(), (EnvSetting{"A", "line"}));
  EXPECT_EQ(spec({"-f", "HYDRA_USE_LOCALHOST", "p"}, {{"HYDRA_CONFIG_FILE=conf"}, files}).per_node,
            3U);
  EXPECT_EQ(spec({"p"}, {{"HOME=/me"}, {{"/me/.mpiexec.hydra.conf", "-ppn=4\n"}}}).per_node, 4U);
  EXPECT_TRUE(read({"p"}, {{"HOME=/me"}, {{"/me/.mpiexec.hydra.conf", " \n"}}}));
  EXPECT_TRUE(read({"p"}, {{"HOME=/me"}, {}}));
  EXPECT_EQ(complaint({"p"}, {{"HYDRA_CONFIG_FILE=none"}, {}}), "no such file");
}

TEST(HydraFront, TheFileMayHoldThePrograms) {
  const Files files = {{"conf", "-n 1 -env A 1 sh -c 'two words'\n-n 2 b : -n 3 c\n"}};
  const auto job = spec({"-configfile", "conf"}, {{}, files});
  ASSERT_EQ(job.apps.size(), 3U);
  EXPECT_EQ(job.apps[0].command, (Words{"sh", "-c", "two words"}));
  EXPECT_EQ(job.apps[2].ranks, 3U);
  const auto both = read({"-configfile", "conf", "p"}, {{}, files});
  ASSERT_FALSE(both);
  EXPECT_EQ(to_string(both.error().place), "conf:1:1");
  EXPECT_EQ(complaint({"-configfile", "c", "p"}, {{}, {{"c", "-n 2\n"}}}),
            "options for a program, and no program");
}

TEST(HydraFront, TakesTheTimeLimit) {
  EXPECT_EQ(spec({"p"}, {{"MPIEXEC_TIMEOUT=3"}}).timeout, std::chrono::seconds(3));
  EXPECT_EQ(spec({"p"}, {{"MPIEXEC_TIMEOUT=-1"}}).timeout, std::nullopt);
  EXPECT_NE(complaint({"p"}, {{"MPIEXEC_TIMEOUT=soon"}}).find("MPIEXEC_TIMEOUT"),
            std::string::npos);
}

TEST(HydraFront, SaysWhoItStandsInFor) {
  const auto info = read({"--version", "-n"});
  ASSERT_TRUE(info && !info->request);
  EXPECT_TRUE(info->text.starts_with("HYDRA build details:\n"));
}

// Intel MPI's -host belongs to a program, MPICH's to the line.
TEST(Hydra, HostsOfEachProgram) {
  const auto one = spec({"-host", "a:2,b", "p", ":", "-n", "1", "q"});
  EXPECT_EQ(one.hosts.size(), 2U);
  EXPECT_TRUE(one.apps[0].hosts.empty() && one.apps[1].hosts.empty());
  const auto own = spec({"-n", "2", "-host", "a:2", "p", ":", "-n", "1", "-host", "b", "q"});
  EXPECT_EQ(own.hosts.size(), 2U);
  EXPECT_EQ(own.apps[0].hosts, Words{"a"});
  EXPECT_EQ(own.apps[1].hosts, Words{"b"});
  EXPECT_EQ(complaint({"-host", "a", "-host", "b", "p"}),
            "-host 'b' and -host 'a' cannot be combined");
  EXPECT_EQ(complaint({"-hosts", "a", "-host", "b", "p"}), "-host: the hosts are given already");
}

TEST(Hydra, BindingsOfAHostfileCount) {
  const auto bound = [](const std::string& text, Words words = {}) {
    words.insert(words.end(), {"-f", "hosts", "p"});
    return spec(words, {.files = {{"hosts", text}}}).mapping;
  };
  const auto asked = spec({"-bind-to", "user:0,1", "-hosts", "a", "p"}).mapping;
  EXPECT_EQ(bound("a:2 binding=user:0,1\n"), asked);
  EXPECT_EQ(bound("# binding=core\na:2 binding=user:0,1 user=me\nb\n"), asked);
  EXPECT_EQ(bound("a:2 binding=core\n", {"-bind-to", "user:0,1"}), asked);
  const auto wrong = [](const std::string& text) {
    const auto result = read({"-f", "hosts", "p"}, {.files = {{"hosts", text}}});
    return result ? "no complaint" : to_string(result.error()).substr(0, 30);
  };
  EXPECT_EQ(wrong("a:2 binding=core\nb binding=numa\n"), "hosts:2:3: binding=numa here a");
  EXPECT_EQ(wrong("a:2 binding=sofa\n"), "hosts:1:5: binding: 'sofa' is ");
}

}  // namespace
}  // namespace muster::front::hydra_front_test
