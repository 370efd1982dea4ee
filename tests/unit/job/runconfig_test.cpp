// Run configurations that Azure ML's SDK v1 has saved say the same as job files of muster's own.
#include "job/runconfig.hpp"

#include <gtest/gtest.h>

#include "job/read_job.hpp"
#include "job/saved_values.hpp"

namespace muster::job::runconfigs {
namespace {

constexpr const char* kSaved = R"(
script: train.py
arguments: [--epochs, 3, two words, $RANK, '5$', '`x`']
target: gpu-cluster
framework: Python
communicator: IntelMpi
maxRunDurationSeconds: 60
nodeCount: 2
environment:
  name: mine
  environmentVariables: {A: b, N: inner}
  python:
    userManagedDependencies: false
    interpreterPath: python
    condaDependenciesFile: .azureml/conda_dependencies.yml
  docker: {enabled: false, baseImage: registry/train:2, baseDockerfile: null}
mpi: {processCountPerNode: 4, nodeCount: 1}
pytorch: {communicationBackend: nccl, processCount: 8, nodeCount: 2}
tensorflow: {workerCount: 2, parameterServerCount: 1}
data: {}
dataReferences: {}
command: ''
environmentVariables: {N: outer}
)";

std::string with(std::string_view before, std::string_view after) {
  std::string text = kSaved;
  const std::size_t at = text.find(before);
  if (at == std::string::npos) ADD_FAILURE() << before;
  return text.replace(at, before.size(), after);
}

JobFile good(const std::string& text, const std::string& source = "src/.azureml/mpi") {
  JobReading reading = read_job(text, source);
  for (const base::Error& error : reading.complaints) ADD_FAILURE() << to_string(error);
  return std::move(reading.job);
}

std::string wrong(const std::string& text) {
  std::string said;
  for (const base::Error& error : read_job(text, "j").complaints) said += to_string(error) + "\n";
  return said;
}

TEST(RunConfig, TheScriptRunsWithItsArgumentsInTheFolderAboveItsFile) {
  const JobFile job = good(kSaved);
  EXPECT_EQ(job.command->text, R"(python3 train.py --epochs 3 "two words" "$RANK" "5\$" "\`x\`")");
  EXPECT_EQ(job.code->text, "..");
  EXPECT_EQ(job.target->text, "gpu-cluster");
  EXPECT_EQ(job.timeout->text, "60");
  EXPECT_EQ(good(kSaved, "train.runconfig").code->text, ".");
}

TEST(RunConfig, ItsValuesAreToldToPrograms) {
  EXPECT_EQ(saved_values("framework: Python\ncommunicator: None\nnodeCount: 2\ntarget: 'null'\n"
                         "arguments: [--lr, 0.5, '5', true]\nscript: null\ncommand:\n"
                         "mpi: {processCountPerNode: 4}\n"),
            R"({"framework":"Python","communicator":"None","nodeCount":2,"target":"null",)"
            R"("arguments":["--lr",0.5,"5",true],"script":null,"command":null,)"
            R"("mpi":{"processCountPerNode":4}})");
  EXPECT_EQ(saved_values("muster: 1\ncommand: x\n"), "");
  EXPECT_EQ(saved_values("{"), "");
}

TEST(RunConfig, OnlyNamesAreVariablesOfTheShell) {
  const std::string words = "arguments: ['${HOME}', '${', '${a b}', '$1']";
  EXPECT_EQ(
      good(with("arguments: [--epochs, 3, two words, $RANK, '5$', '`x`']", words)).command->text,
      R"(python3 train.py "${HOME}" "\${" "\${a b}" "\$1")");
}

TEST(RunConfig, PackagesMayLieAnywhere) {
  const auto packages = [](const std::string& text) { return good(text).conda->file->text; };
  EXPECT_EQ(packages(kSaved), "../.azureml/conda_dependencies.yml");
  EXPECT_EQ(packages(with("File: .azureml", "File: /home")), "/home/conda_dependencies.yml");
}

TEST(RunConfig, PackagesMayStandInTheFile) {
  const std::string file = "condaDependenciesFile: .azureml/conda_dependencies.yml";
  const JobFile job = good(with(file, "condaDependencies: {dependencies: [numpy=1.24]}"));
  ASSERT_TRUE(job.conda && job.conda->map);
  EXPECT_FALSE(job.conda->file);
  std::string own = with(file, "condaDependencies: {dependencies: [numpy]}");
  own.replace(own.find("Dependencies: false"), 19, "Dependencies: true");
  EXPECT_FALSE(good(own).conda);
}

TEST(RunConfig, NoPasswordIsKept) {
  const auto registry = [](const std::string& login) {
    return with("baseImage: registry/train:2",
                "baseImage: train, baseImageRegistry: {address: r.example, " + login + "}");
  };
  EXPECT_EQ(good(registry("username: null, password: null")).image->text, "r.example/train");
  const auto told = read_job(registry("username: null, password: secret"), "j").complaints;
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].what.find("environment.docker.baseImageRegistry.password is not supported"),
            std::string::npos);
  EXPECT_EQ(told[0].hint,
            "leave it out, and log in where the image is pulled, with podman login r.example");
}

TEST(RunConfig, ACommandIsRunAsItIs) {
  std::string text = with("script: train.py", "script:");
  text.replace(text.find("command: ''"), 11, "command: echo $RANK");
  EXPECT_EQ(good(text).command->text, "echo $RANK");
}

TEST(RunConfig, CommunicatorsSayHowItIsSpread) {
  JobFile job = good(kSaved);
  ASSERT_EQ(job.frameworks.size(), 1U);
  EXPECT_EQ(job.frameworks[0].framework, Framework::mpi);
  EXPECT_EQ(job.nodes->number, 2U);
  EXPECT_EQ(job.per_node->number, 4U);
  job = good(with("IntelMpi", "nccl"));
  EXPECT_EQ(job.frameworks[0].framework, Framework::pytorch);
  EXPECT_EQ(job.processes->number, 8U);
  job = good(with("IntelMpi", "ParameterServer"));
  EXPECT_EQ(job.workers.count->number, 2U);
  EXPECT_EQ(job.servers.count->number, 1U);
}

constexpr const char* kSections =
    "mpi: {processCountPerNode: 4, nodeCount: 1}\n"
    "pytorch: {communicationBackend: nccl, processCount: 8, nodeCount: 2}\n"
    "tensorflow: {workerCount: 2, parameterServerCount: 1}";

// Without a communicator.
std::string spread(const std::string& mpi, const std::string& torch, const std::string& workers) {
  std::string text = with(kSections, "mpi: {processCountPerNode: " + mpi +
                                         ", nodeCount: 1}\npytorch: {processCount: " + torch +
                                         ", nodeCount: 1}\ntensorflow: {workerCount: " + workers +
                                         ", parameterServerCount: 1}");
  const std::string_view said = "communicator: IntelMpi\nmaxRunDurationSeconds: 60\nnodeCount: 2";
  return text.replace(text.find(said), said.size(), "communicator: None\nnodeCount: 1");
}

TEST(RunConfig, WithoutACommunicatorTheSectionThatWasChangedTells) {
  EXPECT_TRUE(good(spread("1", "null", "1")).frameworks.empty());
  const JobFile mpi = good(spread("4", "null", "1"));
  ASSERT_EQ(mpi.frameworks.size(), 1U);
  EXPECT_EQ(mpi.frameworks[0].framework, Framework::mpi);
  EXPECT_EQ(mpi.per_node->number, 4U);
  EXPECT_EQ(good(spread("1", "2", "1")).processes->number, 2U);
  EXPECT_EQ(good(spread("1", "null", "2")).workers.count->number, 2U);
  std::string nodes = spread("1", "null", "1");
  nodes.replace(nodes.find("nodeCount: 1"), 12, "nodeCount: 2");
  EXPECT_NE(wrong(nodes).find("several nodes need a communicator"), std::string::npos);
  EXPECT_NE(wrong(spread("4", "2", "1")).find("2 sections say how processes are spread"),
            std::string::npos);
}

TEST(RunConfig, ItsSoftwareAndVariables) {
  const JobFile job = good(kSaved);
  EXPECT_EQ(job.image->text, "registry/train:2");
  EXPECT_EQ(job.environment_name->text, "mine");
  ASSERT_EQ(job.variables.size(), 2U);
  EXPECT_EQ(job.variables[0].value.text, "outer");
  const JobFile own = good(with("userManagedDependencies: false", "userManagedDependencies: true"));
  EXPECT_FALSE(own.conda);
  EXPECT_TRUE(job.conda);
  EXPECT_FALSE(good(with("target: gpu-cluster", "target: local")).image);
}

TEST(RunConfig, ItsContainerHasWhatTheFileSays) {
  const std::string docker =
      "docker: {useDocker: false, sharedVolumes: true, shmSize: 8g, "
      "arguments: [--ipc=host, --cap-add, SYS_PTRACE]}\n";
  JobFile job = good(kSaved + docker);
  EXPECT_EQ(job.shared_memory->text, "8g");
  ASSERT_EQ(job.docker_args.size(), 3U);
  EXPECT_EQ(job.docker_args[2].text, "SYS_PTRACE");
  const std::string image = "baseImage: registry/train:2, baseDockerfile: null";
  job = good(with(image,
                  "baseImage: train:2, baseImageRegistry: {address: mine.io}, shmSize: 4g, "
                  "arguments: [--privileged]"));
  EXPECT_EQ(job.image->text, "mine.io/train:2");
  EXPECT_EQ(job.shared_memory->text, "4g");
  ASSERT_EQ(job.docker_args.size(), 1U);
  const std::string usual = "docker: {useDocker: true, arguments: [], shmSize: 2g}\n";
  EXPECT_EQ(good(kSaved + usual).shared_memory->text, "2g");
  EXPECT_EQ(good(with(image, image + ", shmSize: 4g") + usual).shared_memory->text, "4g");
  job = good(with(image, "baseImage: null") + usual);
  EXPECT_FALSE(job.shared_memory);
  EXPECT_TRUE(job.docker_args.empty());
}

TEST(RunConfig, WhatMusterCannotDoIsComplainedOfInOneLine) {
  EXPECT_EQ(wrong(with("data: {}", "data: {x: {}}")),
            "j:20:1: data names data in Azure, which muster cannot reach\n"
            "  hint: remove the key, and pass files or folders of the hosts as arguments\n");
  EXPECT_EQ(wrong(with("[--epochs, 3, two words, $RANK, '5$', '`x`']", "--epochs 3")),
            "j:3:1: arguments must be a list, not text\n"
            "  hint: write [--epochs 3], with commas between the words\n");
  EXPECT_NE(wrong(with("IntelMpi", "ParallelTask")).find("the communicator ParallelTask is not"),
            std::string::npos);
  EXPECT_NE(wrong(with("IntelMpi", "None")).find("3 sections say how processes are spread"),
            std::string::npos);
  EXPECT_NE(
      wrong(with("baseDockerfile: null", "baseDockerfile: FROM scratch")).find("baseDockerfile"),
      std::string::npos);
}

}  // namespace
}  // namespace muster::job::runconfigs
