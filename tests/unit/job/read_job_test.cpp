// Job files in every dialect: what they say ends up in the JobFile.
#include "job/read_job.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "job/tables.hpp"

namespace muster::job {
namespace {

namespace fs = std::filesystem;

JobFile good(const std::string& text) {
  JobReading reading = read_job(text, "j");
  for (const base::Error& error : reading.complaints) ADD_FAILURE() << to_string(error);
  return std::move(reading.job);
}

JobFile example(const std::string& name) {
  std::ifstream file(MUSTER_SOURCE_DIR "/examples/jobs/" + name);
  return good({std::istreambuf_iterator<char>(file), {}});
}

TEST(ReadJob, EveryExampleIsFine) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(MUSTER_SOURCE_DIR "/examples/jobs")) {
    if (entry.path().extension() != ".yml" || entry.path().stem() == "muster") continue;
    EXPECT_TRUE(example(entry.path().filename()).frameworks.size() == 1) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 13);
}

TEST(ReadJob, Draft) {
  const JobFile job = example("mpirun.yml");
  EXPECT_EQ(job.dialect, Dialect::draft);
  EXPECT_EQ(job.command->text,
            "mpirun -np 16 --hostfile $AZUREML_MPI_HOSTFILE -bind-to none -map-by slot -x "
            "NCCL_DEBUG=INFO -x LD_LIBRARY_PATH -x PATH -mca pml ob1 -mca btl ^openib python "
            "train.py");
  EXPECT_EQ(job.code->text, "./src");
  EXPECT_EQ(job.environment.front().text, "docker.io/pytorch");
  EXPECT_EQ(job.nodes->number, 4U);
  EXPECT_EQ(job.slots->number, 4U);
  EXPECT_EQ(job.instance_type->text, "Standard_NC24");
  EXPECT_EQ(job.frameworks.front().framework, Framework::mpi);
}

TEST(ReadJob, LimitsOfWorkersCountThoseOfTheLauncherDoNot) {
  const JobReading reading = [] {
    std::ifstream file(MUSTER_SOURCE_DIR "/examples/jobs/mpirun_k8s.yml");
    return read_job(std::string(std::istreambuf_iterator<char>(file), {}), "j");
  }();
  EXPECT_EQ(reading.job.limits.gpu->number, 4U);
  EXPECT_FALSE(reading.job.limits.memory);
  EXPECT_EQ(reading.job.target->text, "my-aks-cluster");
  EXPECT_TRUE(std::ranges::any_of(reading.notices, [](const std::string& notice) {
    return notice.starts_with("distributed.mpi.launcher has no effect here");
  }));
}

TEST(ReadJob, RolesHaveTheirOwnVariables) {
  const JobFile job = example("tensorflow_servers.yml");
  EXPECT_EQ(job.code->text, "./src");
  EXPECT_EQ(job.variables.front().value.text, "number");
  EXPECT_EQ(job.workers.count->number, 2U);
  EXPECT_EQ(job.workers.limits.cpu->text, "4");
  EXPECT_EQ(job.servers.count->number, 4U);
  EXPECT_EQ(job.servers.environment->text, "docker.io/python");
  EXPECT_EQ(job.servers.limits.memory->text, "2Gi");
  EXPECT_EQ(job.servers.variables.front().name, "MAGIC");
  EXPECT_EQ(job.servers.variables.front().value.text, "newnumber");
}

TEST(ReadJob, Component) {
  const JobFile job = example("mpi_component.yml");
  EXPECT_EQ(job.dialect, Dialect::component);
  EXPECT_TRUE(job.command->text.starts_with("python mpi_train.py --training_data {inputs."));
  ASSERT_EQ(job.inputs.size(), 3U);
  EXPECT_EQ(job.inputs[1].least->text, "1");
  EXPECT_EQ(job.outputs.front().name, "model_output");
}

TEST(ReadJob, CommandJob) {
  const JobFile job = example("command_mpi.yml");
  EXPECT_EQ(job.dialect, Dialect::command);
  EXPECT_EQ(job.per_node->number, 2U);
  EXPECT_EQ(job.nodes->number, 2U);
  EXPECT_TRUE(job.inputs[0].is_path);
  EXPECT_EQ(job.inputs[1].value->text, "3");
  EXPECT_TRUE(job.inputs[2].optional);
  EXPECT_EQ(job.outputs.front().name, "model");
  EXPECT_EQ(job.target->text, "azureml:gpu-cluster");
}

TEST(ReadJob, NativeCommandsAreTextOrWords) {
  EXPECT_EQ(example("native.yml").words.size(), 6U);
  EXPECT_FALSE(example("native.yml").command);
  const JobFile job = good("muster: 1\ncommand: echo $RANK\n");
  EXPECT_EQ(job.command->text, "echo $RANK");
  EXPECT_TRUE(job.words.empty());
}

TEST(ReadJob, KeysDecideTheDialect) {
  EXPECT_EQ(good("command: x\ncode: {path: s}\n").dialect, Dialect::draft);
  EXPECT_EQ(good("command: x\ncompute: {target: t}\n").dialect, Dialect::draft);
  EXPECT_EQ(good("command: x\ncode: s\n").dialect, Dialect::command);
}

TEST(ReadJob, NumbersAsTextAreAsWritten) {
  const JobFile job = good("command: x\nenvironment_variables: {A: 010, B: 1e3, C: yes, D: '~'}\n");
  std::string all;
  for (const Named& variable : job.variables) all += variable.value.text + " ";
  EXPECT_EQ(all, "010 1e3 yes ~ ");
}

// Processor time, since machines are busy; sanitizers take several times as long. The square of
// their number would take minutes.
TEST(ReadJob, ComplainsQuicklyOfVeryMuch) {
  std::string keys;
  std::string expressions = "command: a";
  std::string unknown = "command: a";
  std::string inputs = "\ninputs:\n";
  for (int i = 0; i < 30000; ++i) {
    keys += fmt::format("key_{}: 1\n", i);
    expressions += " ${{ ${{";
    unknown += " ${{inputs.k}}";
    inputs += fmt::format("  i{}: 1\n", i);
  }
  for (const std::string& text : {keys, expressions + "\n", unknown + inputs}) {
    const std::clock_t start = std::clock();
    EXPECT_FALSE(read_job(text, "j").complaints.empty());
    EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 10);
  }
}

TEST(ReadJob, TablesOfKeysHaveNoTwins) {
  for (const Dialect dialect :
       {Dialect::native, Dialect::draft, Dialect::component, Dialect::command}) {
    std::vector<std::string_view> names;
    for (const JobKey& key : table_of(dialect)) names.push_back(key.text.name);
    std::ranges::sort(names);
    EXPECT_TRUE(std::ranges::adjacent_find(names) == names.end()) << word(dialect);
  }
}

}  // namespace
}  // namespace muster::job
