// The words of DeepSpeed's launcher: hosts and devices, the script's words, what is refused.
#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "front/deepspeed/front.hpp"

namespace muster::front {
namespace {

using Words = std::vector<std::string>;

class Deepspeed : public testing::Test {
 protected:
  base::Result<Reading> read(const Words& words) {
    const auto file = [this](const std::string& path, std::size_t) -> base::Result<std::string> {
      const auto found = files_.find(path);
      if (found != files_.end()) return found->second;
      return base::fail_at({path, 0, 0}, base::Fault::bad_file, "", "no file {}", path);
    };
    return read_deepspeed(
        {.called = "deepspeed",
         .words = words,
         .environment = environment_,
         .current_folder = "/here",
         .read_file = file,
         .counts = {.cpus = [] { return 8U; },
                    .gpus = [this] { return gpus_; },
                    .gpu_variable = [this] { return variable_; }},
         .version = "1",
         .has_file = [this](const std::string& path) { return files_.contains(path); }});
  }

  model::JobSpec spec(const Words& words) {
    auto reading = read(words);
    if (reading && reading->request) {
      notices_ = reading->notices;
      return reading->request->spec;
    }
    ADD_FAILURE() << (reading ? "help" : to_string(reading.error()));
    return {};
  }

  Words command(const Words& words) { return spec(words).apps.front().command; }

  // "a:0,1 b:0" for the hosts of a line, "a:1 of 0,1" where no more than a number is wanted.
  std::string hosts(const Words& words) {
    std::string text;
    const model::JobSpec job = spec(words);
    for (const model::HostEntry& host : job.hosts) {
      EXPECT_TRUE(host.slots);
      const std::string count = std::to_string(host.slots.value_or(0)) + " of ";
      text += (text.empty() ? "" : " ") + host.name + ":";
      text += (job.gpus_per_rank > 0 ? count : "") + host.visible;
    }
    return text;
  }

  std::string complaint(const Words& words) {
    const auto reading = read(words);
    if (reading) return "no complaint";
    EXPECT_EQ(reading.error().what.find('\n'), std::string::npos);
    base::Error bare = reading.error();
    bare.hint.clear();
    return to_string(bare);
  }

  std::map<std::string, std::string> files_ = {{"hosts", "a slots=4\n# more\nb slots=2\n"}};
  Words environment_;
  std::uint32_t gpus_ = 4;
  std::string variable_ = "CUDA_VISIBLE_DEVICES";
  Words notices_;
};

TEST_F(Deepspeed, TakesAllDevicesOfThisMachine) {
  EXPECT_EQ(hosts({"train.py"}), "localhost:0,1,2,3");
  EXPECT_EQ(hosts({"--num_gpus", "2", "train.py"}), "localhost:2 of 0,1,2,3");
  EXPECT_EQ(hosts({"--include", "localhost:1,3", "train.py"}), "localhost:1,3");
  gpus_ = 0;
  EXPECT_EQ(hosts({"train.py"}), "localhost:0");
  EXPECT_EQ(notices_, Words{"no device found on this machine: one rank; --num_gpus N starts more"});
  EXPECT_EQ(hosts({"--num_gpus", "8", "train.py"}), "localhost:8 of 0,1,2,3,4,5,6,7");
}

TEST_F(Deepspeed, RanksHaveTheStdinOfTheLauncher) {
  EXPECT_EQ(spec({"train.py"}).input.to, model::StdinTo::inherited);
}

TEST_F(Deepspeed, LeavesTheCallersChoiceOfDevices) {
  environment_ = {"CUDA_VISIBLE_DEVICES=2,GPU-5f"};
  EXPECT_EQ(hosts({"train.py"}), "localhost:2,GPU-5f");
  EXPECT_TRUE(notices_.empty());
  EXPECT_EQ(hosts({"--num_gpus", "1", "train.py"}), "localhost:1 of 2,GPU-5f");
  EXPECT_EQ(notices_, Words{"CUDA_VISIBLE_DEVICES=2,GPU-5f says which devices there are; DeepSpeed "
                            "would ignore it"});
  EXPECT_EQ(hosts({"--num_gpus", "2", "train.py"}), "localhost:2,GPU-5f") << "not 0,1";
  EXPECT_EQ(hosts({"--num_gpus", "2", "--num_nodes", "1", "train.py"}), "localhost:2,GPU-5f");
  EXPECT_EQ(hosts({"--include", "localhost:1", "train.py"}), "localhost:GPU-5f") << "a place";
  EXPECT_EQ(hosts({"--include", "localhost:GPU-5f,2", "train.py"}), "localhost:GPU-5f,2");
  EXPECT_EQ(hosts({"--exclude", "localhost:2", "train.py"}), "localhost:GPU-5f");
  EXPECT_EQ(hosts({"--exclude", "localhost:0", "train.py"}), "localhost:GPU-5f");
  EXPECT_EQ(complaint({"--include", "localhost:3", "t"}), "--include: localhost has no slot 3");
  EXPECT_EQ(read({"--include", "localhost:3", "t"}).error().hint, "its slots are 2, GPU-5f");
  EXPECT_EQ(complaint({"--num_gpus", "3", "t"}),
            "--num_gpus 3, but CUDA_VISIBLE_DEVICES has 2 "
            "devices");
  environment_ = {"CUDA_VISIBLE_DEVICES=5,4"};
  EXPECT_EQ(hosts({"--include", "localhost:4,0", "t"}), "localhost:4,5") << "an id, then a place";
}

TEST_F(Deepspeed, PartsOfADeviceAreCalledAsTheCallerCallsThem) {
  const std::string first = "MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f";
  const std::string second = "MIG-GPU-b8ea3855-276c-c9cb-b366-c6fa655957c5/1/0";
  const std::string both = first + "," + second;
  environment_ = {"CUDA_VISIBLE_DEVICES=" + both};
  EXPECT_EQ(hosts({"t.py"}), "localhost:" + both);
  EXPECT_EQ(hosts({"--num_gpus", "1", "t.py"}), "localhost:1 of " + both);
  EXPECT_EQ(hosts({"--num_gpus", "2", "t.py"}), "localhost:" + both);
  EXPECT_EQ(hosts({"--include", "localhost:1", "t.py"}), "localhost:" + second);
  EXPECT_EQ(hosts({"--include", "localhost:" + second, "t.py"}), "localhost:" + second);
}

TEST_F(Deepspeed, ShowsNoDevicesWhereTheCallerHidesThem) {
  gpus_ = 0;
  for (const std::string none : {"", "-1"}) {
    environment_ = {"CUDA_VISIBLE_DEVICES=" + none};
    for (const auto& [words, ranks] :
         {std::pair(Words{"t.py"}, 1U), std::pair(Words{"--num_gpus", "2", "t.py"}, 2U),
          std::pair(Words{"--include", "localhost:0", "t.py"}, 1U)}) {
      const auto job = spec(words);
      EXPECT_EQ(job.hosts.front().visible, "");
      EXPECT_EQ(job.hosts.front().slots, ranks);
      EXPECT_EQ(job.apps.front().exports,
                (std::vector<model::EnvSetting>{{"CUDA_VISIBLE_DEVICES", none, true}}));
    }
    (void)spec({"t.py"});
    EXPECT_EQ(notices_, Words{"CUDA_VISIBLE_DEVICES=" + none +
                              " hides all devices: one rank; --num_gpus N starts more"});
  }
  environment_ = {"CUDA_VISIBLE_DEVICES="};
  EXPECT_EQ(complaint({"--include", "localhost:0,1", "t.py"}),
            "--include chooses devices, and CUDA_VISIBLE_DEVICES= hides all of them");
  EXPECT_EQ(complaint({"--exclude", "localhost:0", "t.py"}),
            "--exclude chooses devices, and CUDA_VISIBLE_DEVICES= hides all of them");
  environment_ = {"CUDA_VISIBLE_DEVICES=", "HIP_VISIBLE_DEVICES=6"};
  EXPECT_EQ(spec({"t.py"}).apps.front().exports,
            (std::vector<model::EnvSetting>{{"HIP_VISIBLE_DEVICES", "6", true}}));
}

TEST_F(Deepspeed, OneMakersVariableHidesNoDevicesOfAnother) {
  environment_ = {"CUDA_VISIBLE_DEVICES="};
  gpus_ = 2;
  for (const std::string name : {"ASCEND_RT_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"}) {
    variable_ = name;
    for (const auto& [words, devices] :
         {std::pair(Words{"t.py"}, "0,1"), std::pair(Words{"--num_gpus", "1", "t.py"}, "0"),
          std::pair(Words{"--include", "localhost:1", "t.py"}, "1")}) {
      const auto job = spec(words);
      EXPECT_EQ(job.hosts.front().visible, "") << "NVIDIA's stay hidden";
      EXPECT_EQ(job.apps.front().exports, (std::vector<model::EnvSetting>{{name, devices, true}}));
      EXPECT_TRUE(notices_.empty());
    }
  }
}

TEST_F(Deepspeed, AmdsDevicesAreHiddenWithNvidias) {
  environment_ = {"CUDA_VISIBLE_DEVICES=-1"};
  gpus_ = 8;
  variable_ = "ROCR_VISIBLE_DEVICES";
  EXPECT_EQ(spec({"t.py"}).apps.front().exports,
            (std::vector<model::EnvSetting>{{"CUDA_VISIBLE_DEVICES", "-1", true}}));
  EXPECT_EQ(notices_, Words{"CUDA_VISIBLE_DEVICES=-1 hides all devices: one rank; --num_gpus N "
                            "starts more"});
}

TEST_F(Deepspeed, LeavesTheCallersChoiceOfOtherMakersDevices) {
  for (const std::string name : {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                 "ASCEND_RT_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"}) {
    environment_ = {name + "=6,7"};
    const auto job = spec({"--include", "localhost:1", "t.py"});
    EXPECT_EQ(job.hosts.front().visible, "");
    EXPECT_EQ(job.apps.front().exports, (std::vector<model::EnvSetting>{{name, "7", true}}));
  }
}

TEST_F(Deepspeed, ReadsTheUsualHostfileWhereThereIsOne) {
  files_["/job/hostfile"] = "x slots=1\ny slots=1\n";
  EXPECT_EQ(hosts({"train.py"}), "x:0 y:0");
}

TEST_F(Deepspeed, AHostfileThatIsNotThereIsToldWithWhatDeepspeedWouldDo) {
  const auto error = read({"-H", "old/hosts", "--include", "a@b", "t"}).error();
  EXPECT_EQ(error.what, "there is no such hostfile; DeepSpeed would start on this machine alone");
  EXPECT_EQ(error.hint, "correct the path, or leave out --hostfile to start on this machine alone");
}

TEST_F(Deepspeed, FiltersHostsAndDevices) {
  EXPECT_EQ(hosts({"-H", "hosts", "t"}), "a:0,1,2,3 b:0,1");
  EXPECT_EQ(hosts({"-H", "hosts", "-i", "b@a:0,2", "t"}), "a:0,2 b:0,1");
  EXPECT_EQ(hosts({"-H", "hosts", "-e", "a:0@b", "t"}), "a:1,2,3");
  EXPECT_EQ(hosts({"-H", "hosts", "--num_nodes", "1", "t"}), "a:0,1,2,3");
  EXPECT_EQ(hosts({"-H", "hosts", "--num_accelerators=1", "t"}), "a:1 of 0,1,2,3 b:1 of 0,1");
  EXPECT_EQ(hosts({"-H", "hosts", "--num_nodes", "-1", "--num-gpus", "-1", "t"}),
            "a:0,1,2,3 b:0,1");
}

TEST_F(Deepspeed, FiltersHostsByTheirNumbers) {
  files_["many"] = "w-[1-4] slots=2\n";
  EXPECT_EQ(hosts({"-H", "many", "-i", "w-[1,3]:0@w-2", "t"}), "w-1:0 w-2:0,1 w-3:0");
  EXPECT_EQ(hosts({"-H", "many", "-e", "w-[2-4]", "t"}), "w-1:0,1");
  EXPECT_EQ(complaint({"-H", "many", "-i", "w-[3-5]", "t"}),
            "--include: there is no host 'w-5' in many");
  EXPECT_EQ(complaint({"-H", "many", "-i", "w-[5-3]", "t"}),
            "--include: there is no host 'w-[5-3]' in many");
}

TEST_F(Deepspeed, RefusesFiltersThatMakeNoSense) {
  EXPECT_EQ(complaint({"-H", "hosts", "-i", "c", "t"}), "--include: there is no host 'c' in hosts");
  EXPECT_EQ(read({"-H", "hosts", "-i", "c", "t"}).error().hint,
            "it lists a, b; nodes are joined by @");
  EXPECT_EQ(complaint({"-i", "c@d", "t"}), "--include: there is no host 'c' without a hostfile");
  EXPECT_EQ(complaint({"-H", "hosts", "-i", "b:2", "t"}), "--include: b has no slot 2");
  EXPECT_EQ(complaint({"-H", "hosts", "-e", "b:x", "t"}),
            "--exclude must be a whole number from 0 to 1000, not 'x'");
  EXPECT_EQ(complaint({"-H", "hosts", "-e", "b:", "t"}), "--exclude: 'b:' names no slot");
  EXPECT_EQ(complaint({"-H", "hosts", "-e", "a@b", "t"}), "no slot is left of the hosts");
  EXPECT_EQ(complaint({"-H", "hosts", "-e", "a", "-i", "b", "t"}),
            "--include and --exclude cannot be combined");
  EXPECT_EQ(complaint({"-H", "hosts", "-i", "a", "--num_gpus", "1", "t"}),
            "--num_nodes and --num_gpus go with neither --include nor --exclude");
  EXPECT_EQ(complaint({"-H", "hosts", "--num_nodes", "3", "t"}),
            "--num_nodes 3, but 2 hosts are known");
  EXPECT_EQ(complaint({"--num_nodes", "2", "t"}), "--num_nodes 2, but 1 host is known");
}

TEST_F(Deepspeed, HostfilesTellSlotsOnce) {
  files_["bad"] = "a slots=1\na slots=2\n";
  EXPECT_EQ(complaint({"-H", "bad", "t"}), "bad:2:1: a is listed twice");
  files_["bad"] = "a slots=1\nb\n";
  EXPECT_EQ(complaint({"-H", "bad", "t"}), "bad:2:1: b needs slots=1 to slots=1000");
  EXPECT_EQ(complaint({"-H", "none", "t"}),
            "none: there is no such hostfile; DeepSpeed would start on this machine alone");
}

TEST_F(Deepspeed, CallsTheScriptAsDeepspeedDoes) {
  const std::string number = "--local_rank=${local_rank}";
  EXPECT_EQ(command({"train.py", "--x", "$HOME"}),
            (Words{"python3", "-u", "train.py", number, "--x", "$HOME"}));
  EXPECT_EQ(command({"--module", "pkg.train"}),
            (Words{"python3", "-u", "-m", "pkg.train", number}));
  EXPECT_EQ(command({"--no_python", "./t"}), (Words{"./t", number}));
  EXPECT_EQ(command({"--no_local_rank", "t.py", "$A"}), (Words{"python3", "-u", "t.py", "$A"}));
  EXPECT_EQ(command({"--launcher", "OpenMPI", "--module", "t", "$A"}),
            (Words{"python3", "-u", "-m", "t", "$A"}));
}

TEST_F(Deepspeed, GivesSeveralNodesTheVariablesOfItsFiles) {
  environment_ = {"HOME=/home/me", "PYTHONPATH=/lib"};
  files_["/home/me/.deepspeed_env"] = "A=1\n\n# note\nB=two words=3\r\n";
  files_["/here/.deepspeed_env"] = "A=2";
  const auto exports = spec({"-H", "hosts", "t.py"}).apps.front().exports;
  const std::vector<model::EnvSetting> wanted = {
      {"PYTHONPATH", "/here:/lib", true}, {"A", "1"}, {"B", "two words=3"}, {"A", "2"}};
  EXPECT_EQ(exports, wanted);
  EXPECT_TRUE(spec({"t.py"}).apps.front().exports.empty());
  EXPECT_EQ(spec({"--force_multi", "t.py"}).apps.front().exports.size(), 4U);
  environment_.emplace_back("DS_ENV_FILE=/etc/ds");
  files_["/etc/ds"] = "C=3";
  EXPECT_EQ(spec({"-H", "hosts", "t.py"}).apps.front().exports.back().name, "C");
  files_["/etc/ds"] = "C=3\nD";
  EXPECT_EQ(complaint({"-H", "hosts", "t.py"}), "/etc/ds:2:1: 'D' is not a setting");
}

TEST_F(Deepspeed, ReadsItsFilesAsAShellAfterItselfWould) {
  environment_ = {"LIBS=/base", "HOME=/here"};
  files_["/here/.deepspeed_env"] =
      "LIBS=/opt/x:$LIBS\n  NCCL_DEBUG = INFO \nB=eth0 \nC=${LIBS}/y$B$\nD=64(x2) {\"a\": 1} a=b\n"
      "E=$1 ${NOT $NOWHERE.\n";
  const auto exports = spec({"--force_multi", "t.py"}).apps.front().exports;
  const std::vector<model::EnvSetting> wanted = {{"PYTHONPATH", "/here", true},
                                                 {"LIBS", "/opt/x:/base"},
                                                 {"NCCL_DEBUG", "INFO"},
                                                 {"B", "eth0"},
                                                 {"C", "/opt/x:/base/yeth0$"},
                                                 {"D", "64(x2) {\"a\": 1} a=b"},
                                                 {"E", "$1 ${NOT ."}};
  ASSERT_EQ(exports.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(exports[i].name + "=" + *exports[i].value, wanted[i].name + "=" + *wanted[i].value);
  }
}

TEST_F(Deepspeed, LeavesToEachRankWhatIsItsOwn) {
  environment_ = {"HOME=/here"};
  files_["/here/.deepspeed_env"] = "A=1\nRANK=5\nMASTER_ADDR=10.9.9.9\nCUDA_VISIBLE_DEVICES=7\n";
  const auto exports = spec({"--force_multi", "t.py"}).apps.front().exports;
  EXPECT_EQ(exports, (std::vector<model::EnvSetting>{{"PYTHONPATH", "/here", true}, {"A", "1"}}));
  EXPECT_EQ(notices_,
            Words{"/here/.deepspeed_env: RANK, MASTER_ADDR, CUDA_VISIBLE_DEVICES are left "
                  "out: each rank has its own"});
}

TEST_F(Deepspeed, TellsWhereRanksMeet) {
  EXPECT_EQ(complaint({"--master_addr", "6000", "t.py"}),
            "--master_addr must be a name or an address of a host, and 6000 is a number");
  const auto job = spec({"--master_addr", "10.0.0.1", "--master_port", "6000", "t.py"});
  const std::vector<model::EnvSetting> wanted = {{"MASTER_ADDR", "10.0.0.1"},
                                                 {"MASTER_PORT", "6000"}};
  EXPECT_EQ(job.apps.front().exports, wanted);
  EXPECT_TRUE(job.deepspeed);
}

TEST_F(Deepspeed, TellsItsVersion) {
  const auto version = read({"--version"});
  ASSERT_TRUE(version);
  EXPECT_EQ(version->text, "muster 1, standing in for deepspeed\n");
}

TEST_F(Deepspeed, RefusesWhatNothingCanBeMadeOf) {
  EXPECT_EQ(complaint({}), "no script given");
  EXPECT_EQ(complaint({"--no_python", "--module", "t"}),
            "--no_python and --module cannot be combined");
  EXPECT_EQ(complaint({"--launcher", "slurm", "t"}),
            "--launcher slurm works inside a Slurm job, and this is not one");
  EXPECT_EQ(complaint({"--launcher", "x", "t"}),
            "--launcher must be pdsh, slurm, openmpi, mpich, impi or mvapich, not 'x'");
  EXPECT_EQ(complaint({"--elastic_training", "t"}),
            "--elastic_training: a job whose number of nodes may change is not supported");
}

TEST_F(Deepspeed, FakeNodesHaveSoManyRanksEach) {
  const auto job = spec({"--fake-nodes", "2", "--num_gpus", "3", "t.py"});
  EXPECT_EQ(job.fake_nodes, 2U);
  EXPECT_EQ(job.per_node, 3U);
  EXPECT_TRUE(job.hosts.empty());
}

}  // namespace
}  // namespace muster::front
