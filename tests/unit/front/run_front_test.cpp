// The words of `muster run`: what they become, and what is said about wrong ones.
#include <gtest/gtest.h>
#include <vector>

#include "front/inherited.hpp"
#include "front/output_styles.hpp"
#include "front/run/front.hpp"

namespace muster::front::run_front_test {
namespace {

using model::StdinTo;
using std::chrono::milliseconds;

using Words = std::vector<std::string>;

// No file is there.
base::Result<std::string> no_file(const std::string& path, std::size_t) {
  return base::fail(base::Fault::bad_file, "", "no file {}", path);
}

base::Result<Reading> read(const Words& words) {
  return read_run(
      {.called = "run", .words = words, .current_folder = "/here", .read_file = no_file});
}

RunRequest request(const Words& words) {
  auto reading = read(words);
  if (!reading || !reading->request) {
    ADD_FAILURE() << (reading ? "help" : to_string(reading.error()));
    return {};
  }
  return *reading->request;
}

model::JobSpec spec(const Words& words) { return request(words).spec; }

std::string complaint(const Words& words) {
  const auto reading = read(words);
  if (reading) return "no complaint";
  EXPECT_EQ(reading.error().fault, base::Fault::usage);
  EXPECT_EQ(reading.error().what.find('\n'), std::string::npos);
  return reading.error().what;
}

std::string hint(const Words& words) {
  const auto reading = read(words);
  return reading ? "no complaint" : reading.error().hint;
}

TEST(RunFront, WithoutOptionsAreTheProgram) {
  model::JobSpec plain;
  plain.apps.front().command = {"true"};
  plain.apps.front().workdir = "/here";
  EXPECT_EQ(spec({"true"}), plain);
}

TEST(RunFront, AfterTheProgramAreItsOwn) {
  EXPECT_EQ(spec({"-n", "2", "prog", "-n", "0", "--taag", "--"}).apps.front().command,
            (Words{"prog", "-n", "0", "--taag", "--"}));
  EXPECT_EQ(spec({"--", "-odd-name", "-n"}).apps.front().command, (Words{"-odd-name", "-n"}));
}

TEST(RunFront, RanksHaveManySpellings) {
  for (const Words& words : {Words{"-n", "4", "p"},
                             {"-n4", "p"},
                             {"-n=4", "p"},
                             {"-np", "4", "p"},
                             {"-np4", "p"},
                             {"--np", "4", "p"},
                             {"--np=4", "p"},
                             {"--ranks=4", "p"},
                             {"--ranks", "4", "p"}}) {
    EXPECT_EQ(spec(words).apps.front().ranks, 4U) << words[0];
  }
}

TEST(RunFront, PlaceRanks) {
  const auto job = spec({"--per-node", "3", "--map-by=node", "--oversubscribe", "p"});
  EXPECT_EQ(job.per_node, 3U);
  EXPECT_EQ(job.mapping.map_by, model::MapBy::node);
  EXPECT_TRUE(job.oversubscribe);
}

TEST(RunFront, MapAndBindAsMpirunDoes) {
  const auto wide = spec({"--map-by", "socket:PE=2,SPAN", "--rank-by=fill", "p"}).mapping;
  EXPECT_EQ(wide.map_by, model::MapBy::object);
  EXPECT_EQ(wide.level, model::Level::package);
  EXPECT_EQ(wide.cpus_per_rank, 2U);
  EXPECT_TRUE(wide.span && wide.rank_given);
  const auto bound = spec({"--bind-to", "core:overload-allowed", "--cpu-set", "0-3", "p"}).mapping;
  EXPECT_EQ(bound.bind_to, model::BindTo::object);
  EXPECT_TRUE(bound.bind_given && bound.bind_overload);
  EXPECT_EQ(model::to_string(*bound.cpu_set), "0-3");
  EXPECT_EQ(spec({"--cpu-list", "2,0", "p"}).mapping.bind_to, model::BindTo::cpu_list);
  EXPECT_EQ(spec({"p"}).mapping.bind_to, model::BindTo::none);
  EXPECT_TRUE(spec({"--map-by", ":OVERSUBSCRIBE", "-H", "a", "p"}).oversubscribe);
  EXPECT_TRUE(request({"--report-bindings", "p"}).shown.bindings);
  EXPECT_EQ(complaint({"--oversubscribe", "--map-by", ":NOOVERSUBSCRIBE", "p"}),
            "--map-by :NOOVERSUBSCRIBE forbids what --oversubscribe allows");
}

TEST(RunFront, MapsByDistance) {
  const auto mapping = [](const char* by) { return spec({"--map-by", by, "p"}).mapping; };
  for (const char* by : {"dist:mlx5_0", "DIST:mlx5_0", "dist:mlx5_0:1"}) {
    EXPECT_EQ(mapping(by).map_by, model::MapBy::distance) << by;
    EXPECT_EQ(mapping(by).device, "mlx5_0") << by;
    EXPECT_FALSE(mapping(by).span) << by;
  }
  const auto span = mapping("dist:Eth0,span,PE=2");
  EXPECT_EQ(span.device, "Eth0");
  EXPECT_TRUE(span.span);
  EXPECT_EQ(span.cpus_per_rank, 2U);
  EXPECT_EQ(mapping("dist:span").device, "");
  EXPECT_EQ(complaint({"--map-by", "dist:eth0:fast", "p"}),
            "--map-by has an unknown modifier 'fast'");
}

TEST(RunFront, BindsMemory) {
  using model::MemoryMode;
  using model::MemoryWish;
  const auto memory = [](const char* wish) {
    return spec({"--mem-bind", wish, "p"}).mapping.memory;
  };
  const model::CpuSet both = model::CpuSet::range(0, 1);
  EXPECT_EQ(spec({"p"}).mapping.memory, MemoryWish());
  EXPECT_EQ(memory("none"), MemoryWish());
  EXPECT_EQ(memory("local"), (MemoryWish{.mode = MemoryMode::local}));
  EXPECT_EQ(memory("Interleave"), (MemoryWish{.mode = MemoryMode::interleave}));
  EXPECT_EQ(memory("interleave:0-1"), (MemoryWish{.mode = MemoryMode::interleave, .nodes = both}));
  EXPECT_EQ(
      memory("bind:0,1:if-supported"),
      (MemoryWish{.mode = MemoryMode::bind, .nodes = both, .if_refused = model::IfRefused::tell}));
  EXPECT_EQ(memory("local:if-supported").if_refused, model::IfRefused::tell);
  for (const char* wrong : {"", "numa", "bind", "bind:", "local:0", "none:0"}) {
    EXPECT_EQ(
        complaint({"--mem-bind", wrong, "p"}),
        fmt::format("--mem-bind must be none, local, interleave, interleave:LIST or bind:LIST, "
                    "not '{}'",
                    wrong));
  }
  EXPECT_EQ(hint({"--mem-bind", "lcal", "p"}), "did you mean local?");
  EXPECT_EQ(hint({"--mem-bind", "intrleave:0-1", "p"}), "did you mean interleave?");
  EXPECT_EQ(hint({"--mem-bind", "bind", "p"}),
            "for example --mem-bind interleave or --mem-bind bind:0");
  EXPECT_EQ(complaint({"--mem-bind", "bind:a", "p"}),
            "--mem-bind needs numbers of NUMA nodes, such as 0 or 0-1, not 'a'");
  EXPECT_EQ(complaint({"--mem-bind", "bind:0:gently", "p"}),
            "--mem-bind allows :if-supported, not 'gently'");
}

TEST(RunFront, BindsNearGpus) {
  const auto mapping = spec({"--bind-to", "gpu:if-supported", "p"}).mapping;
  EXPECT_EQ(mapping.bind_to, model::BindTo::gpu);
  EXPECT_TRUE(mapping.bind_given && mapping.bind_if_supported);
}

TEST(RunFront, TheDefaultOfOpenMpiIsAWordAway) {
  const auto mapping = spec({"--bind-to", "default", "p"}).mapping;
  EXPECT_TRUE(mapping.bind_by_default);
  EXPECT_FALSE(mapping.bind_given);
}

TEST(RunFront, ShowSomeRanksOnly) {
  const auto output = spec({"-n", "9", "--show", "0,4-6", "p"}).output;
  EXPECT_FALSE(output.routes.out.console || output.routes.err.console);
  ASSERT_EQ(output.chosen.size(), 4U);
  EXPECT_TRUE(output.chosen.at(5).out.console && output.chosen.at(5).err.console);
  EXPECT_EQ(spec({"--show", "all", "p"}).output, spec({"p"}).output);
}

// The job's spec as `muster run WORDS` has it where a Slurm job of four hosts is around.
model::JobSpec in_slurm_job(const Words& words, const Words& more = {}) {
  Call call{.called = "run",
            .words = words,
            .environment = {"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=node[1-4]",
                            "SLURM_TASKS_PER_NODE=2(x4)"},
            .current_folder = "/here",
            .read_file = no_file};
  call.environment.insert(call.environment.end(), more.begin(), more.end());
  auto reading = read_run(call);
  if (!reading || !take_inherited_settings(call, {}, reading->request->spec)) return {};
  return reading->request->spec;
}

TEST(RunFront, TheHostsOfASlurmJobAreTaken) {
  const auto job = in_slurm_job({"p"});
  EXPECT_EQ(job.source, model::kHostsAllocated);
  ASSERT_EQ(job.hosts.size(), 4U);
  EXPECT_EQ(job.hosts[3].name, "node4");
  EXPECT_EQ(job.hosts[3].slots, 2U);
  EXPECT_EQ(job.carrier.step_words, Words{"--overlap"});
  EXPECT_TRUE(in_slurm_job({"--fake-nodes", "2", "p"}).hosts.empty());
}

TEST(RunFront, NamedHostsOfASlurmJobAreReachedByItsSteps) {
  const auto carrier = [](const Words& words) { return in_slurm_job(words).source.carrier; };
  EXPECT_EQ(carrier({"-H", "node3,node1", "p"}), model::kStep);
  EXPECT_EQ(carrier({"-H", "node3,node5", "p"}), model::kOpened);
  EXPECT_EQ(carrier({"-H", "me@node3", "p"}), model::kOpened);
}

TEST(RunFront, WhoSaysHowToReachHostsGetsNoSteps) {
  EXPECT_EQ(in_slurm_job({"--ssh-port", "23", "p"}).source.carrier, model::kOpened);
  EXPECT_EQ(in_slurm_job({"--ssh-port", "23", "-H", "node1", "p"}).source.carrier, model::kOpened);
}

TEST(RunFront, AnAgentElsewhereIsStartedByStepsToo) {
  const auto job = in_slurm_job({"--agent-path", "/opt/muster", "p"});
  EXPECT_EQ(job.source.carrier, model::kStep);
}

TEST(RunFront, StepsAreThoseOfALauncherWhereSlurmSaysSo) {
  const auto job = in_slurm_job({"p"}, {"OMPI_MCA_plm_slurm_args=--external-launcher"});
  EXPECT_EQ(job.carrier.step_words, Words{"--external-launcher"});
}

TEST(RunFront, JoinHostLists) {
  const auto job = spec({"-H", "a:2", "--host=b", "-Hc:3,d", "p"});
  EXPECT_EQ(job.source, model::kHostsListed);
  EXPECT_EQ(job.source_name, "-H");
  ASSERT_EQ(job.hosts.size(), 4U);
  EXPECT_EQ(job.hosts[2].name, "c");
  EXPECT_EQ(job.hosts[2].slots, 3U);
}

TEST(RunFront, RehearseWithFakeNodes) {
  EXPECT_EQ(spec({"--fake-nodes", "4", "p"}).fake_nodes, 4U);
}

TEST(RunFront, SayHowHostsAreReached) {
  const auto job = spec({"--ssh-command", R"(ssh -o 'User Name' "a\"b" c\ d '')", "--ssh-port",
                         "2222", "--ssh-identity=key", "--agent-path", "/opt/muster",
                         "--start-timeout", "2.5", "--max-open", "8", "p"});
  EXPECT_EQ(job.carrier.command, (Words{"ssh", "-o", "User Name", "a\"b", "c d", ""}));
  EXPECT_EQ(job.carrier.port, 2222U);
  EXPECT_EQ(job.carrier.identity, "key");
  EXPECT_EQ(job.carrier.agent_path, "/opt/muster");
  EXPECT_EQ(job.carrier.patience, milliseconds(2500));
  EXPECT_EQ(job.carrier.parallel, 8U);
}

TEST(RunFront, SetTheEnvironment) {
  const auto job = spec({"-x", "A", "-xB=1=2", "-x", "C=", "-x", "A", "--clean-env", "p"});
  EXPECT_EQ(job.apps.front().exports,
            (std::vector<model::EnvSetting>{{"A", {}}, {"B", "1=2"}, {"C", ""}}));
  EXPECT_TRUE(job.apps.front().clean);
}

TEST(RunFront, MakeTheWorkdirAbsolute) {
  EXPECT_EQ(spec({"--workdir", "/data", "p"}).apps.front().workdir, "/data");
  EXPECT_EQ(spec({"--wdir=sub/x", "p"}).apps.front().workdir, "/here/sub/x");
  EXPECT_EQ(spec({"--workdir", ".", "p"}).apps.front().workdir, "/here");
}

TEST(RunFront, SayWhereOutputAndInputGo) {
  const auto job = spec({"--tag", "--timestamp", "--logs", "out", "--stdin", "3", "p"});
  EXPECT_EQ(job.output, muster_output({.tag = true, .timestamp = true, .logs = "out"}));
  EXPECT_EQ(spec({"--logs=d", "--logs-only", "--merge-stderr", "p"}).output,
            muster_output({.logs = "d", .logs_only = true, .merge = true}));
  EXPECT_EQ(complaint({"--logs-only", "p"}), "--logs-only works only with --logs");
  EXPECT_EQ(job.input, (model::StdinSpec{StdinTo::one, base::Rank(3)}));
  EXPECT_EQ(spec({"--stdin=all", "p"}).input.to, StdinTo::all);
  EXPECT_EQ(spec({"--stdin=none", "p"}).input.to, StdinTo::none);
}

TEST(RunFront, SetTheEnd) {
  const auto job = spec({"--grace", "0", "--timeout", "1.2345", "--lease", ".5", "p"});
  EXPECT_EQ(job.grace, milliseconds(0));
  EXPECT_EQ(job.timeout, milliseconds(1234));
  EXPECT_EQ(spec({"--timeout", "60", "--notice", "USR1@10.5", "p"}).notice,
            (model::Notice{SIGUSR1, milliseconds(10'500)}));
  EXPECT_EQ(job.lease, milliseconds(500));
}

TEST(RunFront, AskToSeeThePlan) {
  const RunRequest seen = request({"--dry-run", "--json", "--env", "-v", "p"});
  EXPECT_TRUE(seen.dry_run && seen.json && seen.show_environment && seen.spec.verbose);
  EXPECT_EQ(complaint({"--env", "p"}), "--env works only with --dry-run");
}

TEST(RunFront, HelpNeedsNoProgram) {
  for (const Words& words : {Words{"-h"}, {"--help"}, {"-n", "2", "--help", "--nonsense"}}) {
    const auto helped = read(words);
    ASSERT_TRUE(helped);
    EXPECT_FALSE(helped->request);
    EXPECT_NE(helped->text.find("Usage: muster run"), std::string::npos);
  }
  EXPECT_EQ(spec({"prog", "--help"}).apps.front().command, (Words{"prog", "--help"}));
}

TEST(RunFront, WithoutAProgramTeach) {
  EXPECT_EQ(complaint({}), "no program given");
  EXPECT_EQ(complaint({"-n", "2", "--"}), "no program given");
  EXPECT_EQ(hint({}), "for example: muster run -n 2 python3 train.py");
  EXPECT_EQ(complaint({""}), "the program is an empty word");
}

TEST(RunFront, UnknownOptionsNameTheNearest) {
  EXPECT_EQ(complaint({"--taag", "p"}), "unknown option '--taag'");
  EXPECT_EQ(hint({"--taag", "p"}), "did you mean --tag?");
  EXPECT_EQ(hint({"--hostfle=x", "p"}), "did you mean --hostfile?");
  EXPECT_EQ(hint({"-hostfile", "x", "p"}), "did you mean --hostfile?");
  EXPECT_EQ(hint({"--zzzzzzzzzz", "p"}), "muster run --help all lists all options");
  EXPECT_EQ(complaint({"-", "p"}), "unknown option '-'");
  EXPECT_EQ(complaint({"-vh", "p"}), "unknown option '-vh'");
}

TEST(RunFront, KnowOtherLaunchersOptions) {
  EXPECT_EQ(hint({"-npernode", "2", "p"}),
            "-npernode is an option of mpirun: muster run calls it --per-node");
  EXPECT_EQ(hint({"--nproc_per_node=2", "p"}),
            "--nproc_per_node is an option of torchrun: muster run calls it --per-node");
  EXPECT_EQ(hint({"-ppn", "2", "p"}),
            "-ppn is an option of mpiexec.hydra: muster run calls it --per-node");
  EXPECT_EQ(hint({"--output-filename", "o", "p"}),
            "--output-filename is an option of mpirun: muster run calls it --logs");
  EXPECT_EQ(
      hint({"--allow-run-as-root", "p"}),
      "--allow-run-as-root is an option of mpirun: leave it out, and its value if it has one; "
      "muster run needs no such option");
}

TEST(RunFront, NoticeALongDash) {
  EXPECT_EQ(hint({"\xe2\x80\x93n", "4", "p"}),
            "this starts with a long dash, as word processors write; type '-'");
}

TEST(RunFront, RefuseAbsurdNumbers) {
  EXPECT_EQ(complaint({"-n", "0", "p"}), "-n must be from 1 to 1000000, not 0");
  EXPECT_EQ(complaint({"--np", "-1", "p"}),
            "--np must be a whole number from 1 to 1000000, not '-1'");
  EXPECT_EQ(complaint({"-n", "1000000000", "p"}), "-n must be from 1 to 1000000, not 1000000000");
  EXPECT_EQ(complaint({"-n", "4x", "p"}), "-n must be a whole number from 1 to 1000000, not '4x'");
  EXPECT_EQ(complaint({"-n4python", "p"}),
            "-n must be a whole number from 1 to 1000000, not '4python'");
  EXPECT_EQ(complaint({"--ssh-port", "65536", "p"}),
            "--ssh-port must be from 1 to 65535, not 65536");
  EXPECT_EQ(complaint({"--fake-nodes", "0", "p"}), "--fake-nodes must be from 1 to 10000, not 0");
  EXPECT_EQ(hint({"--max-open", "0", "p"}),
            "--max-open N: How many hosts to connect to at the same time (default: 32).");
}

TEST(RunFront, RefuseAbsurdTimes) {
  EXPECT_EQ(complaint({"--grace", "abc", "p"}),
            "--grace must be seconds from 0 to 86400, not 'abc'");
  for (const char* text :
       {"", ".", "1e3", "inf", "nan", "-1", "1h", "1.2.3", "999999999999999999"}) {
    EXPECT_EQ(complaint({"--lease", text, "p"}),
              fmt::format("--lease must be seconds from 0.1 to 86400, not '{}'", text));
  }
  EXPECT_EQ(complaint({"--timeout", "3", "--notice", "USR9@1", "p"}),
            "--notice must be SIGNAL@SECONDS, not 'USR9@1'");
  EXPECT_EQ(complaint({"--notice", "USR1@1", "p"}),
            "there is no time limit of which to give notice");
  EXPECT_EQ(complaint({"--timeout", "3", "--notice", "USR1@3", "p"}),
            "notice 3 s before the end of 3 s would come before the start");
  EXPECT_EQ(complaint({"--detach", "--no-record", "p"}),
            "--detach and --no-record cannot be combined");
  EXPECT_EQ(complaint({"--detach", "--tag", "p"}), "--tag has no effect with --detach");
  EXPECT_EQ(complaint({"--detach", "--stdin", "0", "p"}), "--stdin does not work with --detach");
  EXPECT_EQ(complaint({"--json", "p"}), "--json works only with --dry-run or --detach");
  EXPECT_EQ(complaint({"--timeout=0", "p"}),
            "--timeout must be seconds from 0.001 to 31536000, not '0'");
}

TEST(RunFront, RefuseOtherWrongValues) {
  EXPECT_NE(complaint({"--map-by", "foo", "p"}).find("--map-by must be slot, node"),
            std::string::npos);
  EXPECT_EQ(complaint({"--show", "0,x", "p"}),
            "--show must be all, or ranks such as 0 or 0,4-7, not '0,x'");
  EXPECT_EQ(complaint({"--show", "3-1", "p"}),
            "--show must be all, or ranks such as 0 or 0,4-7, not '3-1'");
  EXPECT_EQ(complaint({"-n", "4", "--show", "4", "p"}), "--show: there is no rank 4");
  EXPECT_EQ(complaint({"--stdin", "some", "p"}), "--stdin must be a rank, all or none, not 'some'");
  EXPECT_EQ(complaint({"--stdin", "4", "-n", "4", "p"}), "there is no rank 4");
  EXPECT_EQ(complaint({"-x", "=1", "p"}), "-x must be NAME or NAME=VALUE, not '=1'");
  EXPECT_EQ(complaint({"-x", "A,B", "p"}), "-x: 'A,B' is not a variable name");
  EXPECT_EQ(complaint({"-x", "A=1", "-xA=2", "p"}), "-x 'A=2' and -x 'A=1' cannot be combined");
  EXPECT_EQ(complaint({"-x", "A", "-x", "B", "-x", "A=", "p"}),
            "-x 'A=' and -x 'A' cannot be combined");
  EXPECT_EQ(complaint({"--logs=", "p"}), "--logs has an empty value");
  EXPECT_EQ(complaint({"--ssh-command", "ssh 'x", "p"}),
            "--ssh-command has a quote without an end: 'ssh 'x'");
  EXPECT_EQ(complaint({"--ssh-command", " ", "p"}), "--ssh-command names no program");
  EXPECT_EQ(complaint({"-H", "a:0", "p"}), "no host has a slot: each is given 0");
  EXPECT_EQ(complaint({"-H", "a", "-H", "", "p"}), "-H has an empty value");
}

TEST(RunFront, NoticeAMissingValue) {
  EXPECT_EQ(complaint({"-n"}), "-n needs a value: N");
  EXPECT_EQ(complaint({"--logs", "--tag", "p"}), "--logs needs a value: DIR");
  EXPECT_EQ(complaint({"--grace", "--timeout=3", "p"}), "--grace needs a value: SECONDS");
  EXPECT_EQ(complaint({"-H", "--", "p"}), "-H needs a value: LIST");
  EXPECT_EQ(complaint({"--tag=yes", "p"}), "--tag takes no value, not 'yes'");
}

TEST(RunFront, RefuseContradictions) {
  EXPECT_EQ(complaint({"-n", "4", "-np", "5", "p"}), "-np '5' and -n '4' cannot be combined");
  EXPECT_EQ(spec({"-n", "4", "--np=4", "--tag", "--tag", "p"}).apps.front().ranks, 4U);
  EXPECT_EQ(complaint({"-H", "a", "--hostfile", "f", "p"}), "-H and --hostfile cannot be combined");
  EXPECT_EQ(complaint({"-H", "a", "--fake-nodes", "2", "p"}),
            "--fake-nodes cannot be combined with -H or --hostfile");
}

TEST(RunFront, RolesAreProgramsOfTheirOwn) {
  const model::JobSpec job = spec({"-x", "A=1", "--role", "worker=2", "--role=ps", "prog", "-v"});
  ASSERT_EQ(job.apps.size(), 2U);
  EXPECT_EQ(job.roles, model::Roles::tensorflow);
  EXPECT_EQ(job.apps[0].role, "worker");
  EXPECT_EQ(job.apps[0].ranks, 2U);
  EXPECT_EQ(job.apps[1].role, "ps");
  EXPECT_EQ(job.apps[1].ranks, 1U);
  EXPECT_TRUE(job.apps[1].serves);
  for (const model::App& app : job.apps) {
    EXPECT_EQ(app.command, (Words{"prog", "-v"}));
    EXPECT_EQ(app.workdir, "/here");
    EXPECT_EQ(app.exports.size(), 1U);
  }
}

TEST(RunFront, EachRoleMayHaveItsProgram) {
  const model::JobSpec job = spec({"-x", "A=1", "--role", "worker=2", "work", ":", "x", ":",
                                   "--role", "ps=1", "-x", "B=2", "--workdir", "/there", "serve"});
  ASSERT_EQ(job.apps.size(), 2U);
  EXPECT_EQ(job.apps[0].command, (Words{"work", ":", "x"}));
  EXPECT_EQ(job.apps[0].exports.size(), 1U);
  EXPECT_EQ(job.apps[1].command, Words{"serve"});
  EXPECT_EQ(job.apps[1].workdir, "/there");
  EXPECT_EQ(job.apps[1].exports.size(), 2U);
}

TEST(RunFront, WithoutRolesAColonIsTheProgramsOwn) {
  EXPECT_EQ(spec({"prog", ":", "--role", "ps=1"}).apps.front().command,
            (Words{"prog", ":", "--role", "ps=1"}));
}

TEST(RunFront, AColonBeforeAnOptionIsAQuestion) {
  EXPECT_EQ(complaint({"-n", "1", "a", ":", "-n", "2", "b"}),
            "':' followed by '-n' looks like a second program, which muster run takes only with "
            "--role");
  EXPECT_EQ(hint({"-n", "1", "a", "x y", ":", "-n2", "b"}),
            "did you mean muster mpirun -n 1 a 'x y' : -n2 b; if the ':' is for the program: "
            "muster run -n 1 -- a 'x y' : -n2 b");
  EXPECT_EQ(hint({"--per-node", "1", "-H", "h", "a", ":", "-genv", "A", "1", "b"}),
            "muster mpirun starts several programs; if the ':' is for the program: "
            "muster run --per-node 1 -H h -- a : -genv A 1 b");
  EXPECT_EQ(hint({"--role", "w=1", "p", ":", "--role", "s=1", "q", ":", "-x", "A=1", "r"}),
            "muster mpirun starts several programs; if the ':' is for the program: "
            "muster run --role w=1 p : --role s=1 -- q : -x A=1 r");
  for (const Words& words : {Words{"--", "a", ":", "-n", "2", "b"},
                             {"/opt/bin/mpirun", "-n", "1", "a", ":", "-n", "2", "b"},
                             {"env", "A=1", "muster", "mpirun", "a", ":", "-n", "2", "b"},
                             {"a", ":", "b"},
                             {"a", ":", "--zebra"},
                             {"a", "-n", ":"}}) {
    EXPECT_EQ(complaint(words), "no complaint") << words.front();
  }
}

TEST(RunFront, RefusesRolesThatMakeNoSense) {
  EXPECT_EQ(complaint({"-n", "2", "--role", "worker=2", "p"}), "-n and --role cannot be combined");
  EXPECT_EQ(complaint({"--role", "worker=0", "p"}), "--role must be from 1 to 2048, not 0");
  EXPECT_EQ(complaint({"--role", "=2", "p"}), "--role must be NAME=N, not '=2'");
  EXPECT_EQ(complaint({"--role", "worker", "p", ":", "--role", "ps", "-H", "a", "q"}),
            "-H is for the whole job");
  EXPECT_EQ(complaint({"--role", "worker", "p", ":", "--role", "ps"}), "no program given");
}

// ---- hosts that Slurm is asked for --------------------------------------------------------------

TEST(RunSlurm, AsksForWhatTheJobNeeds) {
  const auto wish = *request({"--slurm", "-N", "4", "--per-node", "8", "--gpus-per-rank", "2",
                              "--timeout", "60", "-p", "gpu", "c"})
                         .allocation;
  EXPECT_EQ(wish.nodes, 4U);
  EXPECT_EQ(wish.per_node, 8U);
  EXPECT_EQ(wish.tasks, 0U);
  EXPECT_EQ(wish.gpus_per_node, 16U);
  EXPECT_EQ(wish.limit, std::chrono::seconds(60));
  EXPECT_EQ(wish.raw, (std::vector<batch::Wish::Named>{{"partition", "gpu"}}));
}

TEST(RunSlurm, RanksAreTasksWhereverTheyAre) {
  EXPECT_EQ(request({"--slurm", "-n", "5", "c"}).allocation->tasks, 5U);
  EXPECT_TRUE(request({"--slurm", "-t", "5", "--notice", "USR1@20", "c"}).spec.notice);
  const auto roles =
      *request({"--slurm", "--role", "worker=2", "c", ":", "--role", "ps=1", "c"}).allocation;
  EXPECT_EQ(roles.tasks, 3U);
  EXPECT_EQ(request({"--slurm", "-n", "5", "--gpus-per-rank", "2", "c"}).allocation->gpus_per_task,
            2U);
  EXPECT_FALSE(request({"-n", "5", "c"}).allocation);
}

TEST(RunSlurm, AnyOptionOfSallocIsPassedOn) {
  const auto wish =
      *request({"--slurm", "--slurm-option", "gres=gpu:8", "--slurm-option", "--exclusive", "c"})
           .allocation;
  EXPECT_EQ(wish.raw, (std::vector<batch::Wish::Named>{{"gres", "gpu:8"}, {"exclusive", ""}}));
  EXPECT_NE(complaint({"--slurm", "--slurm-option", "N=2", "c"}).find("NAME=VALUE"),
            std::string::npos);
}

TEST(RunSlurm, OptionsWithWhichItCannotWorkAreRefused) {
  for (const std::string name : {"no-shell", "no-sh", "quiet", "clusters=a", "kill-command=INT",
                                 "no-kill=off", "chdir=/", "help", "version"}) {
    const Words words = {"--slurm", "--slurm-option", name, "c"};
    EXPECT_EQ(complaint(words),
              "--slurm-option " + name.substr(0, name.find('=')) + " cannot be given");
    EXPECT_NE(hint(words), "");
  }
  for (const char* name : {"no-bell", "bell", "nodelist=n1", "verbose", "cluster-constraint=a"}) {
    EXPECT_EQ(request({"--slurm", "--slurm-option", name, "c"}).allocation->raw.size(), 1U);
  }
}

TEST(RunSlurm, WhatIsAskedForTwiceIsRefused) {
  const auto twice = [](Words words, const std::string& option) {
    words.insert(words.begin(), "--slurm");
    words.insert(words.end(), {"--slurm-option", option, "c"});
    return complaint(words);
  };
  EXPECT_EQ(twice({"-N", "2"}, "nodes=3"), "-N and --slurm-option nodes cannot be combined");
  EXPECT_EQ(twice({"-n", "2"}, "ntasks=3"), "-n and --slurm-option ntasks cannot be combined");
  EXPECT_EQ(twice({"--per-node", "2"}, "ntasks-per-node=3"),
            "--per-node and --slurm-option ntasks-per-node cannot be combined");
  EXPECT_EQ(twice({"-n", "2", "--gpus-per-rank", "1"}, "gpus-per-task=3"),
            "--gpus-per-rank and --slurm-option gpus-per-task cannot be combined");
  EXPECT_EQ(twice({"-p", "a"}, "partition=b"), "partition is asked of Slurm more than once");
}

TEST(RunSlurm, ItsOptionsWorkOnlyWithIt) {
  EXPECT_EQ(complaint({"-N", "2", "c"}),
            "-N counts the nodes that --slurm asks for, and works only with it");
  EXPECT_NE(hint({"-N", "2", "c"}).find("--per-node"), std::string::npos);
  EXPECT_EQ(complaint({"-t", "2", "c"}), "--time works only with --slurm");
  EXPECT_EQ(complaint({"--slurm", "-H", "a", "c"}),
            "--slurm cannot be combined with -H, --hostfile or --fake-nodes");
  EXPECT_EQ(complaint({"--slurm", "--fake-nodes", "2", "c"}),
            "--slurm cannot be combined with -H, --hostfile or --fake-nodes");
  EXPECT_EQ(complaint({"--slurm", "--dry-run", "--json", "c"}),
            "there is no plan before Slurm has given hosts");
}

}  // namespace
}  // namespace muster::front::run_front_test
