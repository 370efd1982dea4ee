// The scripts that batch systems get, as people read them.
#include <gtest/gtest.h>

#include "batch/system.hpp"
#include "golden/golden.hpp"

namespace muster::golden {
namespace {

batch::Wish hello() {
  batch::Wish wish;
  wish.name = "hello";
  wish.about = {"job.yml, as run 20261123-225007.123-kufa"};
  wish.nodes = 2;
  wish.per_node = 4;
  wish.folder = "/home/ada/my project";
  wish.out = "/home/ada/runs/100%/job.out";
  wish.err = "/home/ada/runs/100%/job.err";
  wish.variables = {{"MUSTER_QUEUED_RECORD", "/home/ada/runs/it's"}};
  wish.command = {"/usr/bin/muster", "submit", "job.yml", "--set", "inputs.text=a b $c"};
  return wish;
}

TEST(Script, OfAJobForSlurm) {
  batch::Wish wish = hello();
  wish.cpus_per_task = 2;
  wish.gpus_per_node = 4;
  wish.memory = 64'000'000'000;
  wish.limit = std::chrono::seconds(3601);
  expect_golden("batch/slurm.sh", batch::system_of("slurm")->script(wish));
}

TEST(Script, OfATargetThatSaysMuchForSlurm) {
  batch::Wish wish = hello();
  wish.cpus_per_task = 2;
  wish.gpus_per_node = 4;
  wish.limit = std::chrono::seconds(3601);
  wish.options = {{"partition", "gpu,long"},      {"account", "team a"},  {"time", "2-00:00:00"},
                  {"gres", "gpu:a100:4"},         {"exclusive", "true"},  {"requeue", "false"},
                  {"signal", "USR1@60"},          {"cpus_per_task", "8"}, {"mail_type", "END,FAIL"},
                  {"constraint", "[rack1|rack2]"}};
  wish.raw = {{"comment", "it's # ours"}, {"spread-job", "true"}, {"begin", "now+1hour"}};
  wish.setup = {"module load cuda", ". venv/bin/activate"};
  expect_golden("batch/slurm_target.sh", batch::system_of("slurm")->script(wish));
}

TEST(Script, OfAJobForGridEngine) {
  batch::Wish wish = hello();
  wish.name = "3 hellos: one/two";
  wish.limit = std::chrono::seconds(3601);
  wish.options = {{"pe", "mpi"}};
  expect_golden("batch/grid_engine.sh", batch::system_of("grid_engine")->script(wish));
}

TEST(Script, OfATargetThatSaysMuchForGridEngine) {
  batch::Wish wish = hello();
  wish.limit = std::chrono::seconds(3601);
  wish.options = {{"pe", "mpi"},
                  {"queue", "long.q,gpu.q"},
                  {"project", "ours"},
                  {"account", "team a"},
                  {"resources", "h_rt=7200,mem_free=4G"}};
  wish.raw = {{"p", "-10"}, {"R", "y"}, {"hold_jid", "12"}};
  wish.setup = {"module load cuda"};
  expect_golden("batch/grid_engine_target.sh", batch::system_of("grid_engine")->script(wish));
}

}  // namespace
}  // namespace muster::golden
