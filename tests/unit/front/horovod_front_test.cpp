// The words of horovodrun and its config file: hosts, controllers, knobs, and what is refused.
#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "front/horovod/front.hpp"

namespace muster::front {
namespace {

using Words = std::vector<std::string>;

class Horovodrun : public testing::Test {
 protected:
  base::Result<Reading> read(const Words& words) {
    const auto file = [this](const std::string& path, std::size_t) -> base::Result<std::string> {
      const auto found = files_.find(path);
      if (found != files_.end()) return found->second;
      return base::fail(base::Fault::bad_file, "", "no file {}", path);
    };
    return read_horovodrun({.called = "horovodrun",
                            .words = words,
                            .environment = environment_,
                            .current_folder = "/here",
                            .read_file = file,
                            .version = "1"});
  }

  model::JobSpec spec(const Words& words) {
    auto reading = read(words);
    if (reading && reading->request) return reading->request->spec;
    ADD_FAILURE() << (reading ? reading->text : to_string(reading.error()));
    return {};
  }

  // The variables that the line gives every rank.
  std::map<std::string, std::string> exports(const Words& words) {
    std::map<std::string, std::string> all;
    const model::JobSpec job = spec(words);
    for (const model::EnvSetting& one : job.apps.front().exports) {
      all[one.name] = one.value.value_or("(ours)");
    }
    return all;
  }

  std::string complaint(const Words& words) {
    const auto reading = read(words);
    if (reading) return "no complaint";
    EXPECT_EQ(reading.error().what.find('\n'), std::string::npos);
    base::Error bare = reading.error();
    bare.hint.clear();
    return to_string(bare);
  }

  // What a config file of such a text makes of the ranks' variables, but for Open MPI's.
  std::map<std::string, std::string> configured(const std::string& text, Words words = {}) {
    files_["hvd.yaml"] = text;
    words.insert(words.end(), {"-np", "1", "--mpi", "--config-file", "hvd.yaml", "p"});
    auto all = exports(words);
    std::erase_if(all, [](const auto& one) { return one.first.starts_with("OMPI_"); });
    return all;
  }

  std::string misconfigured(const std::string& text) {
    files_["hvd.yaml"] = text;
    return complaint({"-np", "1", "--config-file", "hvd.yaml", "p"});
  }

  std::map<std::string, std::string> files_ = {{"hosts", "a slots=2\nb slots=4\n"}};
  Words environment_;
};

using Variables = std::map<std::string, std::string>;

TEST_F(Horovodrun, CountsRanksAndFillsHosts) {
  const auto job = spec({"-np", "3", "-H", "a:2,b:4", "python", "train.py", "-np", "9"});
  EXPECT_EQ(job.apps.front().ranks, 3U);
  EXPECT_EQ(job.apps.front().command, (Words{"python", "train.py", "-np", "9"}));
  EXPECT_EQ(job.apps.front().workdir, "/here");
  ASSERT_EQ(job.hosts.size(), 2U);
  EXPECT_EQ(job.hosts[1].slots, 4U);
  EXPECT_EQ(spec({"-np", "1", "-hostfile", "hosts", "p"}).hosts.size(), 2U);
  EXPECT_EQ(spec({"--num-proc=2", "p"}).source, model::kHostsHere);
}

TEST_F(Horovodrun, RanksHaveTheStdinOfTheLauncher) {
  EXPECT_EQ(spec({"-np", "1", "x"}).input.to, model::StdinTo::inherited);
}

TEST_F(Horovodrun, EachHostTellsItsSlots) {
  EXPECT_EQ(complaint({"-np", "2", "-H", "a:1,b", "p"}), "-H: b does not tell its slots");
  files_["bare"] = "a slots=1\n\nb\n";
  EXPECT_EQ(complaint({"-np", "2", "--hostfile", "bare", "p"}),
            "bare:3:1: b does not tell its slots");
  EXPECT_EQ(complaint({"-np", "2", "--hostfile", "hosts", "-H", "a:1", "p"}),
            "-H and --hostfile cannot be combined");
  EXPECT_EQ(complaint({"-H", "a:1", "p"}), "-np is missing: horovodrun does not count slots");
  EXPECT_EQ(complaint({"-np", "1"}), "no program given");
}

TEST_F(Horovodrun, OffersBothControllersUnlessToldWhich) {
  EXPECT_EQ(spec({"-np", "1", "p"}).gloo, model::GlooSpec());
  EXPECT_EQ(spec({"-np", "1", "--gloo", "p"}).gloo, (model::GlooSpec{"", true}));
  EXPECT_EQ(spec({"-np", "1", "--mpi", "p"}).gloo, std::nullopt);
  const Variables mpi = {{"OMPI_MCA_btl", "^openib"}, {"OMPI_MCA_pml", "ob1"}};
  EXPECT_EQ(exports({"-np", "1", "p"}), mpi);
  EXPECT_EQ(exports({"-np", "1", "--gloo", "p"}), Variables());
  environment_ = {"OMPI_MCA_pml=ucx"};
  EXPECT_EQ(exports({"-np", "1", "p"}), (Variables{{"OMPI_MCA_btl", "^openib"}}));
}

TEST_F(Horovodrun, NamesInterfaces) {
  const auto job = spec({"-np", "1", "--network-interface", "eth0", "--network-interfaces",
                         "eth1,eth0", "--gloo", "p"});
  EXPECT_EQ(job.gloo, (model::GlooSpec{"eth0", true}));
  EXPECT_EQ(exports({"-np", "1", "--network-interface", "eth0,eth1", "--gloo", "--tcp", "p"}),
            (Variables{{"NCCL_IB_DISABLE", "1"},
                       {"NCCL_SOCKET_IFNAME", "eth0,eth1"},
                       {"OMPI_MCA_btl_tcp_if_include", "eth0,eth1"}}));
  EXPECT_EQ(complaint({"-np", "1", "--network-interface", "e 0", "p"}),
            "--network-interface: 'e 0' is not the name of an interface");
}

TEST_F(Horovodrun, ReadsWordsForMpirunAsMpirunDoes) {
  const auto all = exports({"-np", "2", "--mpi", "--mpi-args=-x A=1 -mca coll ^hcoll", "p"});
  EXPECT_EQ(all.at("A"), "1");
  EXPECT_EQ(all.at("OMPI_MCA_coll"), "^hcoll");
  const auto bound = spec({"-np", "2", "--binding-args=-bind-to core -map-by node", "p"});
  EXPECT_EQ(bound.mapping.bind_to, model::BindTo::object);
  EXPECT_EQ(bound.mapping.map_by, model::MapBy::node);
  EXPECT_EQ(bound.apps.front().ranks, 2U);
  EXPECT_EQ(complaint({"-np", "2", "--mpi-args=--help", "p"}),
            "--mpi-args contains an option that only prints text, such as --help or --version");
  EXPECT_EQ(complaint({"-np", "2", "--mpi-args=--nonsense", "p"}), "unknown option '--nonsense'");
}

TEST_F(Horovodrun, TurnsKnobsIntoVariables) {
  auto all = exports({"-np", "1", "--gloo", "--fusion-threshold-mb", "32", "--cycle-time-ms", "2.5",
                      "--no-hierarchical-allreduce", "--no-stall-check", "--log-level", "TRACE",
                      "--log-hide-timestamp", "p"});
  EXPECT_EQ(all, (Variables{{"HOROVOD_FUSION_THRESHOLD", "33554432"},
                            {"HOROVOD_CYCLE_TIME", "2.5"},
                            {"HOROVOD_HIERARCHICAL_ALLREDUCE", "0"},
                            {"HOROVOD_STALL_CHECK_DISABLE", "1"},
                            {"HOROVOD_LOG_LEVEL", "TRACE"},
                            {"HOROVOD_LOG_HIDE_TIME", "1"}}));
  EXPECT_EQ(complaint({"-np", "1", "--cycle-time-ms", "-1", "p"}),
            "--cycle-time-ms must be a number from 0 to 1e+09, not '-1'");
  EXPECT_EQ(complaint({"-np", "1", "--autotune-gaussian-process-noise", "1.5", "p"}),
            "--autotune-gaussian-process-noise must be a number from 0 to 1, not '1.5'");
}

TEST_F(Horovodrun, DetailsCountOnlyWithWhatTheyAreDetailsOf) {
  EXPECT_EQ(exports({"-np", "1", "--gloo", "--autotune-warmup-samples", "3",
                     "--timeline-mark-cycles", "p"}),
            Variables());
  EXPECT_EQ(exports({"-np", "1", "--gloo", "--autotune", "--autotune-warmup-samples", "3",
                     "--timeline-filename", "t.json", "--timeline-mark-cycles", "p"}),
            (Variables{{"HOROVOD_AUTOTUNE", "1"},
                       {"HOROVOD_AUTOTUNE_WARMUP_SAMPLES", "3"},
                       {"HOROVOD_TIMELINE", "t.json"},
                       {"HOROVOD_TIMELINE_MARK_CYCLES", "1"}}));
}

TEST_F(Horovodrun, TakesItsPatienceFromTheEnvironment) {
  EXPECT_EQ(spec({"-np", "1", "p"}).carrier.patience, std::chrono::seconds(30));
  environment_ = {"HOROVOD_START_TIMEOUT=60"};
  EXPECT_EQ(spec({"-np", "1", "p"}).carrier.patience, std::chrono::seconds(60));
  EXPECT_EQ(spec({"-np", "1", "--start-timeout", "5", "p"}).carrier.patience,
            std::chrono::seconds(5));
}

TEST_F(Horovodrun, ReadsItsConfigFile) {
  EXPECT_EQ(configured("params:\n  fusion_threshold_mb: 1\n  hierarchical_allgather: yes\n"
                       "stall_check:\n  enabled: false\n"
                       "logging:\n  level: INFO\n  with_timestamp: true\n"
                       "timeline:\n"),
            (Variables{{"HOROVOD_FUSION_THRESHOLD", "1048576"},
                       {"HOROVOD_HIERARCHICAL_ALLGATHER", "1"},
                       {"HOROVOD_STALL_CHECK_DISABLE", "1"},
                       {"HOROVOD_LOG_LEVEL", "INFO"},
                       {"HOROVOD_LOG_HIDE_TIME", "0"}}));
}

TEST_F(Horovodrun, TheLineCountsMoreThanTheConfigFile) {
  EXPECT_EQ(
      configured("params:\n  cycle_time_ms: 1\n  cache_capacity: 2\n", {"--cycle-time-ms", "3"}),
      (Variables{{"HOROVOD_CYCLE_TIME", "3"}, {"HOROVOD_CACHE_CAPACITY", "2"}}));
  files_["hvd.yaml"] = "controller: gloo\n";
  EXPECT_EQ(spec({"-np", "1", "--config-file", "hvd.yaml", "p"}).gloo, (model::GlooSpec{"", true}));
  EXPECT_EQ(spec({"-np", "1", "--mpi", "--config-file", "hvd.yaml", "p"}).gloo, std::nullopt);
}

TEST_F(Horovodrun, SaysWhichKeyOfTheConfigFileIsWrong) {
  EXPECT_EQ(misconfigured("parms:\n  x: 1\n"), "hvd.yaml:1:1: there is no section 'parms'");
  EXPECT_EQ(misconfigured("params:\n  cycle_time: 1\n"),
            "hvd.yaml:2:3: there is no 'cycle_time' in params");
  EXPECT_EQ(misconfigured("params:\n  cycle_time_ms: soon\n"),
            "hvd.yaml:2:18: cycle_time_ms must be a number from 0 to 1e+09, not 'soon'");
  EXPECT_EQ(misconfigured("params:\n  cycle_time_ms: [1]\n"),
            "hvd.yaml:2:18: cycle_time_ms must be one value, not a list");
  EXPECT_EQ(misconfigured("controller: smoke\n"),
            "hvd.yaml:1:13: controller must be gloo or mpi, not 'smoke'");
  EXPECT_EQ(misconfigured("params: 3\n"), "hvd.yaml:1:9: params must be a map, not text");
  EXPECT_EQ(misconfigured("- 1\n"), "hvd.yaml:1:1: a config file is a map of sections, not a list");
  EXPECT_NE(misconfigured("a: [\n").find("hvd.yaml:"), std::string::npos);
}

TEST_F(Horovodrun, RefusesWhatItCannotDo) {
  EXPECT_EQ(complaint({"-np", "2", "--min-np", "1", "p"}),
            "--min-np 1: a job whose number of ranks may change is not supported");
  EXPECT_EQ(complaint({"--max-np", "4", "-np", "2", "--min-np", "2", "p"}),
            "--max-np 4: a job whose number of ranks may change is not supported");
  EXPECT_EQ(spec({"-np", "2", "--min-np", "2", "--max-np", "2", "p"}).apps.front().ranks, 2U);
  EXPECT_EQ(complaint({"-cb"}), "-cb: only Horovod itself can tell");
  const auto version = read({"--version"});
  ASSERT_TRUE(version);
  EXPECT_EQ(version->text, "muster 1, standing in for horovodrun\n");
}

TEST_F(Horovodrun, KeysOfEarlierAndLaterConfigFilesAreHeard) {
  EXPECT_EQ(configured("logging:\n  level: INFO\n  hide_timestamp: true\n"),
            (Variables{{"HOROVOD_LOG_LEVEL", "INFO"}, {"HOROVOD_LOG_HIDE_TIME", "1"}}));
  EXPECT_EQ(configured("library_options:\n  ccl_bgt_affinity: 1\nparams:\n  torus_allreduce: on\n"),
            (Variables{{"HOROVOD_CCL_BGT_AFFINITY", "1"}, {"HOROVOD_TORUS_ALLREDUCE", "1"}}));
  EXPECT_EQ(configured("params:\n  torus_allreduce: on\n", {"--no-torus-allreduce"}),
            (Variables{{"HOROVOD_TORUS_ALLREDUCE", "0"}}));
}

// As argparse has it, by trial with Horovod 0.28: whatever the order, and each as often as one
// likes.
TEST_F(Horovodrun, OptionsThatExcludeOneAnotherAreRefused) {
  EXPECT_EQ(complaint({"-np", "1", "--gloo", "--mpi", "p"}), "--mpi and --gloo cannot be combined");
  EXPECT_EQ(complaint({"-np", "1", "--no-autotune", "--autotune", "p"}),
            "--autotune and --no-autotune cannot be combined");
  EXPECT_EQ(complaint({"-np", "1", "--prefix-output-with-timestamp", "--log-hide-timestamp", "p"}),
            "--log-hide-timestamp and --prefix-output-with-timestamp cannot be combined");
  EXPECT_EQ(complaint({"-np", "1", "-H", "a:1", "--hostfile", "f", "p"}),
            "--hostfile and -H cannot be combined");
  EXPECT_TRUE(spec({"-np", "1", "--gloo", "--gloo", "--torus-allreduce", "p"}).gloo->only);
}

}  // namespace
}  // namespace muster::front
