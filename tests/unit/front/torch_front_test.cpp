// The words of torchrun and torch.distributed.launch: what they become, and what is said about
// wrong ones.
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <vector>

#include "front/front.hpp"
#include "front/torch/front.hpp"

namespace muster::front::torch_front_test {
namespace {

using model::EnvSetting;
using Words = std::vector<std::string>;

struct Surroundings {
  Words environment = {};
  std::uint32_t cpus = 8;
  std::uint32_t gpus = 0;
  std::uint32_t xpus = 0;
};

using Read = base::Result<Reading> (*)(const Call&);

base::Result<Reading> read(const Words& words, const Surroundings& around = {},
                           Read how = read_torchrun) {
  return how({.called = "torchrun",
              .words = words,
              .environment = around.environment,
              .current_folder = "/here",
              .read_file =
                  [](const std::string& path, std::size_t) {
                    if (path == "two") return base::Result<std::string>("a slots=4\nb\n");
                    return base::Result<std::string>(
                        base::fail_at({path, 0, 0}, base::Fault::bad_file, "", "no such file"));
                  },
              .counts = {[&] { return around.cpus; }, [&] { return around.gpus; },
                         [&] { return around.xpus; }},
              .fresh = "0a1b2c3d",
              .version = "1"});
}

model::JobSpec spec(const Words& words, const Surroundings& around = {}, Read how = read_torchrun) {
  auto result = read(words, around, how);
  if (result && result->request) return result->request->spec;
  ADD_FAILURE() << (result ? "no request" : to_string(result.error()));
  return {};
}

Words command(const Words& words, const Surroundings& around = {}, Read how = read_torchrun) {
  return spec(words, around, how).apps.front().command;
}

std::string complaint(const Words& words, const Surroundings& around = {},
                      Read how = read_torchrun) {
  const auto result = read(words, around, how);
  if (result) return "no complaint";
  EXPECT_EQ(result.error().what.find('\n'), std::string::npos);
  EXPECT_FALSE(result.error().hint.empty()) << result.error().what;
  return result.error().what;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(TorchFront, TellsItsVersion) {
  const auto version = [](Read how) {
    return read({"--version"}, {}, how).value_or(Reading{}).text;
  };
  EXPECT_EQ(version(read_torchrun), "muster 1, standing in for torchrun\n");
  EXPECT_EQ(version(read_launch), "muster 1, standing in for torch.distributed.launch\n");
  EXPECT_EQ(spec({"t.py"}, {.environment = {"PET_VERSION=1", "PET_HELP=1"}}).apps.size(), 1U);
}

TEST(TorchFront, DashesUnderscoresAndAbbreviationsAreTheSame) {
  const auto plain = spec({"--nproc-per-node", "3", "train.py"});
  EXPECT_EQ(plain.per_node, 3U);
  EXPECT_EQ(plain.slot_rule, model::SlotRule::hydra);
  for (const Words& words :
       {Words{"--nproc_per_node=3", "train.py"}, Words{"--nproc", "3", "train.py"},
        Words{"--nproc_per-node", "1", "--nproc-per-node=3", "train.py"},
        Words{"--nnodes=1:1", "--nproc_per_node", "3", "train.py"}}) {
    EXPECT_EQ(spec(words), plain) << words.front();
  }
}

TEST(TorchFront, TheScriptEndsOptions) {
  EXPECT_EQ(command({"train.py", "--nproc_per_node", "2", "-m"}),
            (Words{"python3", "-u", "train.py", "--nproc_per_node", "2", "-m"}));
  EXPECT_EQ(command({"--", "train.py"}), (Words{"python3", "-u", "train.py"}));
}

TEST(TorchFront, CallsTheScriptAsAsked) {
  EXPECT_EQ(command({"-m", "pkg.train", "a"}), (Words{"python3", "-u", "-m", "pkg.train", "a"}));
  EXPECT_EQ(command({"--no_python", "./prog", "a"}), (Words{"./prog", "a"}));
  EXPECT_EQ(command({"--run_path", "--no_python", "/x/t.py"}), (Words{"python3", "-u", "/x/t.py"}));
  EXPECT_EQ(command({"train.py"}, {{"PYTHON_EXEC=/opt/python"}}).front(), "/opt/python");
  EXPECT_EQ(spec({"train.py"}).apps.front().local_rank_words,
            (model::WordRange{1, std::string::npos}));
}

TEST(TorchFront, LaunchGivesTheScriptItsLocalRank) {
  EXPECT_EQ(command({"train.py", "a"}, {}, read_launch),
            (Words{"python3", "-u", "train.py", "--local_rank=${local_rank}", "a"}));
  EXPECT_EQ(command({"-m", "train"}, {}, read_launch),
            (Words{"python3", "-u", "-m", "train", "--local_rank=${local_rank}"}));
  EXPECT_EQ(command({"--use_env", "train.py"}, {}, read_launch),
            (Words{"python3", "-u", "train.py"}));
  EXPECT_EQ(command({"--use_env", "python", "train.py", "a"}, {}, read_launch),
            (Words{"python", "-u", "train.py", "a"}));
  EXPECT_EQ(command({"/opt/bin/python3", "train.py"}, {}, read_launch),
            (Words{"/opt/bin/python3", "-u", "train.py", "--local_rank=${local_rank}"}));
  EXPECT_EQ(complaint({"--no_python", "prog"}, {}, read_launch), "--no-python needs --use-env");
  EXPECT_TRUE(holds(complaint({"--use_env", "x.py"}), "unknown option"));
}

TEST(TorchFront, CountsWhatIsHere) {
  const Surroundings gpus = {.gpus = 4};
  EXPECT_EQ(spec({"--nproc_per_node", "cpu", "t.py"}, gpus).per_node, 8U);
  EXPECT_EQ(spec({"--nproc_per_node", "gpu", "t.py"}, gpus).per_node, 4U);
  EXPECT_EQ(spec({"--nproc_per_node", "auto", "t.py"}, gpus).per_node, 4U);
  EXPECT_EQ(spec({"--nproc_per_node", "auto", "t.py"}).per_node, 8U);
  EXPECT_TRUE(holds(complaint({"--nproc_per_node", "gpu", "t.py"}), "no GPU"));
  EXPECT_TRUE(holds(complaint({"--nproc_per_node", "gpu", "-H", "a,b", "t.py"}), "hosts are"));
  EXPECT_EQ(spec({"--nproc_per_node", "xpu", "t.py"}, {.gpus = 4, .xpus = 2}).per_node, 2U);
  EXPECT_TRUE(holds(complaint({"--nproc_per_node", "xpu", "t.py"}, gpus), "no GPU of Intel"));
}

TEST(TorchFront, VariablesAreDefaults) {
  const Surroundings pet = {{"PET_NPROC_PER_NODE=4", "PET_RDZV_ID=job", "PET_NO_PYTHON=1",
                             "PET_STANDALONE=0", "TORCH_ELASTIC_SHUTDOWN_TIMEOUT=7"}};
  const auto job = spec({"prog"}, pet);
  EXPECT_EQ(job.per_node, 4U);
  EXPECT_EQ(job.torch->run_id, "job");
  EXPECT_EQ(job.apps.front().command, Words{"prog"});
  EXPECT_EQ(job.grace, std::chrono::seconds(7));
  EXPECT_EQ(spec({"--nproc_per_node=2", "prog"}, pet).per_node, 2U);
  EXPECT_EQ(complaint({"t.py"}, {{"PET_STANDALONE="}}), "PET_STANDALONE must be 0 or 1, not ''");
  EXPECT_TRUE(holds(complaint({"t.py"}, {{"PET_MAX_RESTARTS=x"}}), "PET_MAX_RESTARTS must be"));
}

TEST(TorchFront, SettlesTheJobsName) {
  EXPECT_EQ(spec({"t.py"}).torch->run_id, "none");
  EXPECT_FALSE(spec({"t.py"}).torch->own_id);
  EXPECT_TRUE(spec({"--standalone", "--rdzv_id", "7", "t.py"}).torch->own_id);
  EXPECT_EQ(spec({"--role", "trainer", "t.py"}).apps.front().role, "trainer");
}

TEST(TorchFront, TellsRanksTheAddressThatWasGiven) {
  const auto exports = [](const Words& words) { return spec(words).apps.front().exports; };
  EXPECT_TRUE(exports({"t.py"}).empty());
  EXPECT_EQ(exports({"--master_addr", "10.0.0.1", "--master_port=1234", "t.py"}),
            (std::vector<EnvSetting>{{"MASTER_ADDR", "10.0.0.1"}, {"MASTER_PORT", "1234"}}));
  EXPECT_EQ(exports({"--rdzv_endpoint", "[::1]:99", "t.py"}),
            (std::vector<EnvSetting>{{"MASTER_ADDR", "::1"}, {"MASTER_PORT", "99"}}));
  EXPECT_TRUE(exports({"--rdzv_backend", "c10d", "--rdzv_endpoint", "h:1", "t.py"}).empty());
  EXPECT_TRUE(exports({"--standalone", "--master_port", "1234", "t.py"}).empty());
}

TEST(TorchFront, StartsHostsFromHere) {
  const auto job = spec({"-H", "a,b", "-H", "a", "--nnodes", "2", "--nproc_per_node=2", "t.py"});
  EXPECT_EQ(job.source, model::kHostsListed);
  EXPECT_EQ(job.hosts.size(), 3U);
  EXPECT_EQ(spec({"--hostfile", "two", "t.py"}).hosts.size(), 2U);
  EXPECT_TRUE(holds(complaint({"-H", "a,b", "--nnodes", "3", "t.py"}), "hosts given are 2"));
  EXPECT_TRUE(holds(complaint({"-H", "a", "--hostfile", "two", "t.py"}), "cannot be combined"));
}

TEST(TorchFront, NodesThatAreStartedOneByOneMeet) {
  const auto meeting = [](const Words& words) { return read(words)->request->meeting; };
  EXPECT_FALSE(meeting({"t.py"}));
  EXPECT_FALSE(meeting({"-H", "a,b", "--nnodes", "2", "t.py"}));
  const auto fixed = meeting({"--nnodes=2", "--node_rank=1", "--master_addr=n0",
                              "--master_port=1234", "--rdzv_conf", "join_timeout=5", "t.py"});
  ASSERT_TRUE(fixed);
  EXPECT_EQ(fixed->host, "n0");
  EXPECT_EQ(fixed->port, 1234U);
  EXPECT_EQ(fixed->node, 1U);
  EXPECT_EQ(fixed->limit, std::chrono::seconds(5));
  EXPECT_EQ(fixed->secret, "rdzv-id none");
  EXPECT_TRUE(fixed->is_guessable);
  const auto free = meeting({"--nnodes", "3", "--rdzv_backend", "c10d", "--rdzv_endpoint", "n0",
                             "--rdzv_id", "7", "t.py"});
  ASSERT_TRUE(free);
  EXPECT_EQ(free->port, 29400U);
  EXPECT_EQ(free->nodes, 3U);
  EXPECT_FALSE(free->node);
  EXPECT_EQ(free->secret, "rdzv-id 7");
}

TEST(TorchFront, ASecretMayLieInAFile) {
  const Words words = {"--nnodes", "2", "--master_addr", "n0", "--rdzv-secret-file", "two", "t.py"};
  EXPECT_EQ(read(words)->request->meeting->secret, "file a slots=4\nb\n");
  EXPECT_FALSE(read(words)->request->meeting->is_guessable);
  EXPECT_TRUE(holds(complaint({"--nnodes", "2", "t.py"}), "needs --master-addr"));
  EXPECT_TRUE(holds(complaint({"--nnodes", "2", "--rdzv_backend", "c10d", "t.py"}),
                    "needs --rdzv-endpoint"));
}

TEST(TorchFront, BadValuesAreNamed) {
  const std::vector<std::pair<Words, std::string>> table = {
      {{}, "no script"},
      {{"--nproc_per_node", "many", "t"}, "auto, gpu, cpu or xpu, not 'many'"},
      {{"--nproc_per_node", "0", "t"}, "--nproc_per_node must be"},
      {{"--nproc_per_node"}, "needs a value"},
      {{"--nnodes", "1:4", "t"}, "may change"},
      {{"--nnodes", "x", "t"}, "--nnodes must be"},
      {{"--node_rank", "1", "t"}, "no node 1 among 1"},
      {{"--rdzv_backend", "etcd", "t"}, "no etcd"},
      {{"--rdzv_backend", "mpi", "t"}, "static or c10d"},
      {{"--rdzv_endpoint", "a:b", "t"}, "HOST:PORT"},
      {{"--rdzv_endpoint", "[::1", "t"}, "HOST:PORT"},
      {{"--master_port", "70000", "t"}, "--master_port must be"},
      {{"--master_addr", "", "t"}, "empty"},
      {{"--max_restarts", "-1", "t"}, "--max_restarts must be"},
      {{"--rdzv_conf", "timeout", "t"}, "KEY=VALUE"},
      {{"--rdzv_conf", "join_timeout=x", "t"}, "--rdzv_conf must be seconds"},
      {{"--monitor_interval", "soon", "t"}, "seconds"},
      {{"--start_method", "thread", "t"}, "forkserver"},
      {{"-r", "4", "t"}, "-r takes 0 to 3"},
      {{"-t", "0:1,x", "t"}, "-t takes 0 to 3"},
      {{"-t", "0:", "t"}, "-t takes 0 to 3"},
      {{"-r", "0:3,", "t"}, "-r takes 0 to 3"},
      {{"--local-ranks-filter", "a", "t"}, "--local-ranks-filter must be"},
      {{"--local-ranks-filter", "0,", "t"}, "such as 0,1"},
      {{"--rdzv-conf", "a=1,,b=2", "t"}, "KEY=VALUE"},
      {{"--rdzv-conf", "a=", "t"}, "KEY=VALUE"},
      {{"--logs-specs", "mine", "t"}, "a plug-in of torch"},
      {{"--event-log-handler", "mine", "t"}, "'mine' is unknown"},
      {{"--numa-binding", "rack", "t"}, "core-complex"},
      {{"--no-python", "-m", "t"}, "cannot be combined"},
      {{"--no", "1", "t"}, "may be one of"},
      {{"--nprocs_per_node", "1", "t"}, "unknown option"},
  };
  for (const auto& [words, part] : table) {
    EXPECT_TRUE(holds(complaint(words), part)) << complaint(words) << " lacks " << part;
  }
}

// torchrun's parser ends with 2; what it lets pass and torchrun refuses later, with 1 (by trial,
// torch 1.13).
TEST(TorchFront, ExitCodesTellTheParserFromWhatComesAfterIt) {
  const auto code = [](const Words& words, const Surroundings& around = {}) {
    const auto result = read(words, around);
    if (result) return 0;
    return front_of("torchrun")->code_before_start(result.error().fault);
  };
  for (const Words& words : std::vector<Words>{{},
                                               {"--nosuch", "t"},
                                               {"--nproc_per_node"},
                                               {"--max_restarts", "x", "t"},
                                               {"--master_port", "x", "t"},
                                               {"--start_method", "thread", "t"},
                                               {"--standalone=1", "t"}}) {
    EXPECT_EQ(code(words), 2) << fmt::format("{}", fmt::join(words, " "));
  }
  for (const Words& words : std::vector<Words>{{"--nproc_per_node", "many", "t"},
                                               {"--nproc_per_node", "0", "t"},
                                               {"--nproc_per_node", "gpu", "t"},
                                               {"--nnodes", "1:x", "t"},
                                               {"--nnodes", "0", "t"},
                                               {"--max_restarts", "-1", "t"},
                                               {"--rdzv_backend", "mpi", "t"},
                                               {"--rdzv_conf", "a", "t"},
                                               {"--rdzv_conf", "timeout=x", "t"},
                                               {"--rdzv_endpoint", "a:b", "t"},
                                               {"-r", "4", "t"},
                                               {"--local_ranks_filter", "a", "t"},
                                               {"--logs_specs", "mine", "t"},
                                               {"--node_rank", "1", "t"},
                                               {"--no_python", "--module", "t"}}) {
    EXPECT_EQ(code(words), 1) << fmt::format("{}", fmt::join(words, " "));
  }
  EXPECT_EQ(code({"--standalone", "--nnodes", "2", "t"}), 1);
  EXPECT_EQ(code({"t"}, {{"PET_MAX_RESTARTS=x"}}), 2);
  EXPECT_EQ(code({"t"}, {{"PET_NNODES=x"}}), 1);
}

TEST(TorchFront, OneNodeAloneIsNotSeveral) {
  const std::string two = "--standalone is a job of one node, not of 2";
  EXPECT_EQ(complaint({"--standalone", "--nnodes", "2", "t"}), two);
  EXPECT_EQ(complaint({"--standalone", "-H", "a,b", "t"}), two);
  EXPECT_EQ(complaint({"--standalone", "t"}, {{"PET_NNODES=2"}}), two);
  EXPECT_EQ(spec({"--standalone", "--nnodes", "1", "t"}), spec({"--standalone", "t"}));
}

TEST(TorchFront, RanksHaveTheStdinOfTheLauncher) {
  EXPECT_EQ(spec({"t"}).input.to, model::StdinTo::inherited);
  EXPECT_EQ(spec({"t"}, {}, read_launch).input.to, model::StdinTo::inherited);
}

TEST(TorchFront, HintsAreAboutWhatIsThere) {
  const auto result = read({"t"}, {{"PET_MAX_RESTARTS=x"}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().hint, "unset it, or set it to N");
  const auto idle = read({"t"}, {{"PET_LOCAL_ADDR=10.0.0.1"}});
  ASSERT_TRUE(idle);
  EXPECT_EQ(idle->notices,
            Words{"PET_LOCAL_ADDR has no effect here: muster finds this node's address by itself"});
  const auto events = read({"--event_log_handler", "console", "t"});
  ASSERT_TRUE(events);
  EXPECT_EQ(events->notices.size(), 1U);
  EXPECT_TRUE(read({"--logs_specs", "default", "--event_log_handler=null", "t"})->notices.empty());
}

TEST(TorchFront, AnEmptyFilterOfRanksIsNone) {
  EXPECT_EQ(spec({"--local-ranks-filter", "", "-t", "3", "t"}).output,
            spec({"-t", "3", "t"}).output);
}

TEST(TorchFront, TheTemplateOfPrefixesIsHeard) {
  const auto prefix = [](const std::string& words) {
    return spec({"-t", "3", "t"}, {{"TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE=" + words}})
        .output.prefix;
  };
  using model::Field;
  EXPECT_EQ(prefix("[${rank}]:"),
            (model::Pattern{{Field::text, "["}, {Field::rank}, {Field::text, "]:"}}));
  EXPECT_EQ(prefix("$role_name$local_rank"), (model::Pattern{{Field::role}, {Field::local_rank}}));
  EXPECT_EQ(prefix(""), spec({"-t", "3", "t"}).output.prefix);
  const auto as_text = [&](const std::string& words) {
    std::string text;
    for (const model::Piece& piece : prefix(words)) {
      EXPECT_EQ(piece.field, Field::text) << words;
      text += piece.text;
    }
    return text;
  };
  for (const char* words : {"$Rank", "${rank", "$ranks ", "a$", "${x}", "$ {rank}"}) {
    EXPECT_EQ(as_text(words), words);
  }
  EXPECT_EQ(as_text("$${rank}$$"), "${rank}$");
}

TEST(TorchFront, FilesLieWhereTorchrunPutsThem) {
  EXPECT_TRUE(spec({"t.py"}).output.out_file.empty());
  const auto kept = spec({"-r", "1", "--log_dir", "logs", "--rdzv_id", "j", "t.py"}).output;
  ASSERT_FALSE(kept.out_file.empty());
  EXPECT_EQ(kept.out_file.front().text, "/here/logs/j_0a1b2c3d");
  EXPECT_FALSE(kept.routes.out.console);
  EXPECT_TRUE(kept.routes.err.console);
  const auto temporary = read({"-t", "3", "t.py"}, {{"TMPDIR=/scratch"}});
  EXPECT_EQ(temporary->request->spec.output.out_file.front().text,
            "/scratch/torchelastic_0a1b2c3d/none_0a1b2c3d");
  EXPECT_EQ(temporary->notices.size(), 1U);
}

TEST(TorchFront, OneThreadIsSaid) {
  const auto notices = [](const Words& words, const Surroundings& around = {}) {
    return read(words, around)->notices.size();
  };
  EXPECT_EQ(notices({"--nproc_per_node", "2", "t.py"}), 1U);
  EXPECT_EQ(notices({"--nproc_per_node", "2", "t.py"}, {{"OMP_NUM_THREADS=4"}}), 0U);
  EXPECT_EQ(notices({"t.py"}), 0U);
}

TEST(TorchFront, BindsAndNumbersAsAsked) {
  EXPECT_EQ(spec({"--numa-binding", "node", "t.py"}).mapping.bind_level, model::Level::numa);
  const auto own = spec({"--numa-binding=exclusive", "t.py"}).mapping;
  EXPECT_EQ(own.near_gpu, model::NearGpu::cores);
  EXPECT_EQ(own.bind_level, model::Level::core) << "without GPUs";
  const auto job = spec({"--virtual-local-rank", "--nproc_per_node=2", "t.py"});
  EXPECT_EQ(job.gpus_per_rank, 1U);
  EXPECT_EQ(job.apps.front().exports, (std::vector<EnvSetting>{{"LOCAL_RANK", "0", true}}));
}

TEST(Torchrun, RefusesEndpointsThatLeadNowhere) {
  EXPECT_EQ(complaint({"--rdzv_endpoint", "30000", "--nproc_per_node", "2", "t.py"}),
            "--rdzv-endpoint must be HOST or HOST:PORT, and 30000 is not a host");
  const Words nodes = {"--nnodes", "2", "--rdzv_backend", "c10d", "--rdzv_endpoint"};
  const Words step = {"SLURM_PROCID=1", "SLURM_STEP_NUM_NODES=2"};
  for (const char* endpoint : {"127.0.1.1:29500", "localhost:29500", "[::1]:29500"}) {
    Words words = nodes;
    words.insert(words.end(), {endpoint, "t.py"});
    EXPECT_TRUE(holds(complaint(words, {.environment = step}), "each would wait for itself"));
    EXPECT_TRUE(spec(words).per_node) << "all nodes may be on this machine";
    EXPECT_TRUE(
        spec(words, {.environment = {"SLURM_PROCID=0", "SLURM_STEP_NUM_NODES=1"}}).per_node);
  }
  Words words = {"--nnodes", "2", "--node_rank", "1", "--master_addr", "127.0.0.1", "t.py"};
  EXPECT_TRUE(holds(complaint(words, {.environment = step}), "each would wait for itself"));
}

TEST(Torchrun, TakesANumberInPlaceOfAHostForAPort) {
  const auto told = read({"--master_addr", "30000", "t.py"}, {});
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().what,
            "--master_addr must be a name or an address of a host, and 30000 is a number");
  EXPECT_EQ(told.error().hint, "did you mean --master_port 30000?");
  EXPECT_EQ(front_of("torchrun")->code_before_start(told.error().fault), 1);
  EXPECT_TRUE(holds(complaint({"t.py"}, {{"PET_MASTER_ADDR=30000"}}), "PET_MASTER_ADDR must be"));
}

TEST(Torchrun, PortZeroOfAnEndpointIsAnyThatIsFree) {
  for (const char* backend : {"static", "c10d"}) {
    const Words words = {"--rdzv_backend", backend, "--rdzv_endpoint=localhost:0", "t.py"};
    const model::JobSpec job = spec(words);
    for (const EnvSetting& one : job.apps.front().exports) {
      EXPECT_NE(one.name, "MASTER_PORT") << backend;
    }
  }
  EXPECT_TRUE(holds(
      complaint({"--nnodes", "2", "--rdzv_backend", "c10d", "--rdzv_endpoint", "n0:0", "t.py"}),
      "2 nodes cannot meet at port 0"));
}

}  // namespace
}  // namespace muster::front::torch_front_test
