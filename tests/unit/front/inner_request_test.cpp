// What the launcher in a job's command would ask for, read before it runs.
#include "front/inner_request.hpp"

#include <gtest/gtest.h>

namespace muster::front {
namespace {

Call here() {
  Call call;
  call.current_folder = "/here";
  call.fresh = "x";
  call.read_file = [](const std::string& path, std::size_t) -> base::Result<std::string> {
    return base::fail(base::Fault::bad_file, "", "no {}", path);
  };
  call.has_file = [](const std::string&) { return false; };
  call.check_room = [](const model::JobSpec& spec) -> base::Result<void> {
    const std::uint64_t ranks = model::ranks_given(spec);
    if (ranks <= 4 || spec.oversubscribe) return {};
    return base::fail(base::Fault::no_slots, "", "{} are too many", ranks);
  };
  return call;
}

model::JobSpec launching(const std::string& text) {
  model::JobSpec spec;
  spec.hostfile = "a slots=2\nb slots=2\n";
  spec.apps.front().command = {"bash", "-c", text};
  spec.apps.front().exports = {{"N", "3"}, {"MUSTER_STARTS_RANKS", "1"}};
  return spec;
}

TEST(InnerRequest, takes_the_hosts_of_the_job) {
  for (const char* text : {"mpirun -np $N x", "mpiexec.hydra -n 3 x", "muster run -n 3 x",
                           "mpirun --hostfile \"${AZUREML_MPI_HOSTFILE}\" -np 3 x"}) {
    const auto read = inner_request(here(), launching(text)).request;
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(read->spec.apps.front().ranks, 3U) << text;
    ASSERT_EQ(read->spec.hosts.size(), 2U) << text;
    EXPECT_EQ(read->spec.hosts[1].name, "b");
    EXPECT_EQ(read->spec.hosts[1].slots, 2U);
  }
}

TEST(InnerRequest, is_nothing_where_only_a_shell_can_tell) {
  for (const char* text : {"mpirun -np $((2 * 2)) x", "mpirun -np `nproc` x", "python train.py",
                           "mpirun", "muster", "", "muster submit job.yml"}) {
    EXPECT_FALSE(inner_request(here(), launching(text)).request) << text;
  }
}

std::string mistake(const std::string& text) {
  const auto wrong = inner_request(here(), launching(text)).mistake;
  return wrong ? wrong->what : "";
}

TEST(InnerRequest, tells_what_its_launcher_would_refuse) {
  EXPECT_NE(mistake("mpirun -bind-too core -np 4 x").find("mpirun would not start: "),
            std::string::npos);
  EXPECT_NE(mistake("torchrun --nproc_per_node four x.py").find("torchrun would not start: "),
            std::string::npos);
  EXPECT_NE(mistake("pip install x\ncd src && mpirun -bind-too core -np 4 x"), "");
  for (const char* text :
       {"mpirun -np 4 x", "module load mpi; mpirun -bind-too core -np 4 x",
        "/opt/mpi/bin/mpirun --other 4 x", "if y; then mpirun -bind-too 4 x; fi",
        "mpirun -np $((2 * 2)) x", "python train.py", "", "mpirun --hostfile none -np 4 x"}) {
    EXPECT_EQ(mistake(text), "") << text;
  }
}

TEST(InnerRequest, tells_what_there_is_no_room_for) {
  for (const char* text : {"mpirun -np 5 x", "muster run -n 5 x", "cd src && mpirun -np 5 x $MORE",
                           "mpirun -np 4 x; mpirun -np 5 x", "mpirun -np 2 x : -np 3 y"}) {
    EXPECT_NE(mistake(text).find(" would not start: 5 are too many"), std::string::npos) << text;
  }
  EXPECT_NE(mistake("horovodrun -np 5 x").find("the hosts have 4 slots"), std::string::npos);
  EXPECT_NE(mistake("mpirun -np 5 x || exit 1"), "");
  EXPECT_NE(mistake("mpirun -np 5 x | tee log"), "");
  EXPECT_EQ(mistake("mpirun -np 5 x || mpirun -np 4 x"), "");
  for (const char* text :
       {"mpirun -np 4 x", "mpirun --oversubscribe -np 5 x", "mpirun -np 5 $MORE x",
        "export OMPI_MCA_rmaps_base_oversubscribe=1\nmpirun -np 5 x",
        "OMPI_MCA_rmaps_base_oversubscribe=1 mpirun -np 5 x", "which x && mpirun -np 5 x",
        "/opt/mpi/bin/mpirun -np 5 x"}) {
    EXPECT_EQ(mistake(text), "") << text;
  }
  EXPECT_FALSE(inner_request(here(), launching("mpirun -np 5 x"), {true, false}).mistake);
}

TEST(InnerRequest, compares_what_the_job_gives_no_hosts_for) {
  const auto told = [&](const std::string& text, CountsKnown known, std::uint32_t fake_nodes = 0) {
    model::JobSpec spec = launching(text);
    spec.hostfile.clear();
    spec.apps.front().exports.clear();
    spec.fake_nodes = fake_nodes;
    const auto wrong = inner_request(here(), spec, known).mistake;
    return wrong ? wrong->what : "";
  };
  CountsKnown all;
  all.cores = true;
  const std::string line = "mpirun --nooversubscribe -np ";
  EXPECT_EQ(told(line + "5 x", all), "mpirun would not start: 5 are too many");
  EXPECT_EQ(told(line + "4 x", all), "");
  EXPECT_EQ(told("mpirun -np 5 x", all), "") << "ranks may take turns where no host is named";
  EXPECT_EQ(told(line + "5 x", {}), "") << "on another machine";
  EXPECT_EQ(told(line + "5 x", all, 2), "") << "on simulated nodes";
  EXPECT_EQ(told("muster run --fake-nodes 2 -n 5 x", all), "");
  EXPECT_NE(told("mpirun -H a:2,b:2 -np 5 x", {}), "") << "wherever it runs";
  all.others = false;
  EXPECT_EQ(told("mpirun -H a:2,b:2 -np 5 x", all), "");
}

TEST(InnerRequest, compares_no_hostfile_that_the_command_may_make) {
  const auto told = [](const std::string& text, const std::string& of_job) {
    model::JobSpec spec = launching(text);
    spec.hostfile = of_job;
    if (of_job.empty()) spec.apps.front().exports.clear();
    Call call = here();
    call.read_file = [](const std::string& path, std::size_t) -> base::Result<std::string> {
      if (path.ends_with("hosts")) return "a slots=2\nb slots=2\n";  // of an earlier run
      return base::fail(base::Fault::bad_file, "", "no {}", path);
    };
    const InnerReading read = inner_request(call, spec);
    const bool is_planned = read.request && model::ranks_given(read.request->spec) > 4;
    EXPECT_FALSE(is_planned) << text;  // or a dry run would have no room for it
    return read.mistake ? read.mistake->what : "";
  };
  for (const char* of_job : {"", "a slots=2\nb slots=2\n"}) {
    for (const char* text :
         {"printf 'a slots=4\\nb slots=4\\n' > hosts && mpirun --hostfile hosts -np 8 x",
          "cd sub && mpirun --hostfile hosts -np 8 x", "muster run --hostfile ./hosts -n 8 x",
          "horovodrun --hostfile hosts -np 8 x"}) {
      EXPECT_EQ(told(text, of_job), "") << text;
    }
    EXPECT_NE(told("printf 1 > hosts && mpirun -H a:2,b:2 -np 8 x", of_job), "");
    EXPECT_NE(told("horovodrun -H a:2,b:2 -np 8 x", of_job), "");
    EXPECT_NE(told("mpirun --hostfile hosts -bind-too core x", of_job), "");
  }
  EXPECT_NE(told("mpirun --hostfile $AZUREML_MPI_HOSTFILE -np 8 x", "a slots=2\n"), "");
}

TEST(InnerRequest, tells_whose_words_cannot_be_known) {
  const auto unforeseen = [](const std::string& text) {
    std::string all;
    for (const Unforeseen& one : inner_request(here(), launching(text)).unforeseen) {
      all += one.launcher + ": " + one.why + "\n";
    }
    return all;
  };
  EXPECT_EQ(unforeseen("mpirun -np $((2 * 2)) x"), "mpirun: only a shell can expand its words\n");
  EXPECT_EQ(unforeseen("mpirun -np 4 x; muster run -n `nproc` x"),
            "muster run: only a shell can expand its words\n");
  EXPECT_NE(unforeseen("module load mpi; mpirun -bind-too core x").find("'-bind-too'"),
            std::string::npos);
  EXPECT_EQ(unforeseen("mpirun -np 4 x"), "");
  EXPECT_EQ(unforeseen("python train.py"), "");
}

model::JobSpec on_two_nodes() {
  model::JobSpec spec;
  spec.per_node = 1;
  spec.hosts.resize(2);
  spec.hosts[0].name = "a";
  spec.hosts[1].name = "b";
  spec.apps.front().ranks = 2;
  return spec;
}

TEST(InnerRequest, launchers_wait_for_all_nodes_of_the_job) {
  model::JobSpec spec = on_two_nodes();
  const auto told = [&](const std::string& text, CountsKnown known = {}) {
    spec.apps.front().command = {"bash", "-c", text};
    const auto wrong = inner_request(here(), spec, known).mistake;
    return wrong ? wrong->what : "";
  };
  const std::string where = " --node_rank $NODE_RANK --master_addr $MASTER_ADDR x.py";
  for (const char* name : {"torchrun", "python3 -m torch.distributed.launch --use_env"}) {
    const std::string launcher = name;
    EXPECT_NE(told(launcher + " --nnodes 3" + where).find("--nnodes 3, but the job has 2 nodes"),
              std::string::npos);
    EXPECT_EQ(told(launcher + " --nnodes 2" + where), "");
    EXPECT_EQ(told(launcher + " --nnodes 3" + where, {false, false}), "");
  }
  EXPECT_EQ(told("torchrun --nnodes $MINE" + where), "");
  const std::string there = "torchrun --nnodes 2 --node_rank $NODE_RANK --master_addr localhost x";
  EXPECT_NE(told(there).find("the job's nodes cannot meet at localhost"), std::string::npos);
  spec.hosts.clear();  // all nodes are simulated
  EXPECT_EQ(told(there), "");
  spec.apps.front().ranks = 1;  // others are started elsewhere
  EXPECT_EQ(told("torchrun --nnodes 3" + where), "");
}

TEST(InnerRequest, launchers_on_all_nodes_are_one) {
  model::JobSpec spec = on_two_nodes();
  for (const char* name : {"torchrun", "python3 -um torch.distributed.launch --use_env",
                           "exec python -m torch.distributed.run"}) {
    spec.apps.front().command = {"bash", "-c",
                                 std::string(name) +
                                     " --nnodes $WORLD_SIZE --nproc_per_node 4 --node_rank "
                                     "$NODE_RANK --master_addr $MASTER_ADDR x.py"};
    const auto read = inner_request(here(), spec).request;
    ASSERT_TRUE(read) << name;
    EXPECT_FALSE(read->meeting);
    EXPECT_EQ(read->spec.per_node, 4U);
    ASSERT_EQ(read->spec.hosts.size(), 2U);
    EXPECT_EQ(read->spec.hosts[1].slots, 4U);
  }
  spec.apps.front().command[2] = "torchrun --nproc_per_node 4 x.py";
  EXPECT_FALSE(inner_request(here(), spec).request);
}

}  // namespace
}  // namespace muster::front
