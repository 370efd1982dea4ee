// muster export: what it takes, what it refuses, and where its text goes.
#include <gtest/gtest.h>
#include <map>

#include "front/front.hpp"

namespace muster::front {
namespace {

struct ExportFront : testing::Test {
  std::map<std::string, std::string> files = {
      {"mpi.yml",
       "name: My_Job\ncommand: mpirun -n 4 echo $$ $(hostname)\nenvironment: {image: i}\n"
       "distribution: {type: mpi, process_count_per_instance: 2}\n"
       "resources: {instance_count: 2}\nlimits: {timeout: 90}\n"},
      {"ranks.yml",
       "command: ./x ${{inputs.a}}\nenvironment: {image: i}\ninputs: {a: 1}\n"
       "environment_variables: {A: '1'}\ndistribution: {type: mpi, process_count_per_instance: 2}\n"
       "resources: {instance_count: 2}\n"},
      {"torch.yml",
       "command: python x.py --node $NODE_RANK\nenvironment: {image: i}\n"
       "distribution: {type: pytorch, process_count_per_instance: 4}\n"
       "resources: {instance_count: 3}\n"},
      {"single.yml", "command: x\nenvironment: {image: i}\n"},
      {"bad.yml", "comand: x\n"},
      {"no_image.yml", "command: x\n"},
      {"secret.yml", "muster: 1\ncommand: x\nenvironment: {image: i}\nsecrets: [TOKEN]\n"},
      {"pipeline.yml", "type: pipeline\njobs: {a: {command: x}}\n"},
      {"/here/muster.yml",
       "targets: {hosts: {hosts: a}, lab: {kubernetes: {image: base, operator: mpijob}}}\n"},
  };

  [[nodiscard]] base::Result<Reading> read(std::vector<std::string> words) const {
    Call call;
    call.called = "export";
    call.words = std::move(words);
    call.current_folder = "/here";
    call.has_file = [this](const std::string& path) { return files.contains(path); };
    call.read_file = [this](const std::string& path, std::size_t) -> base::Result<std::string> {
      return files.at(path);
    };
    return front_of("export")->read(call);
  }

  [[nodiscard]] std::string text(std::vector<std::string> words) const {
    const auto reading = read(std::move(words));
    if (!reading) return base::to_string(reading.error());
    std::string complaints;
    for (const base::Error& error : reading->complaints)
      complaints += base::to_string(error) + "\n";
    return complaints.empty() ? reading->text : complaints;
  }

  [[nodiscard]] bool has(const std::string& whole, const std::string& part) const {
    return whole.find(part) != std::string::npos;
  }
};

TEST_F(ExportFront, SaysWhichKindFits) {
  EXPECT_EQ(text({"kubernetes", "torch.yml", "--as", "mpijob"}),
            "a job of type pytorch cannot be an MPIJob\n"
            "  hint: --as pytorchjob fits it, or --as job or jobset");
  EXPECT_EQ(text({"kubernetes", "single.yml", "--as", "tfjob"}),
            "a job without a distribution cannot be a TFJob\n"
            "  hint: --as job fits it");
  EXPECT_TRUE(has(text({"kubernetes", "mpi.yml", "--as", "pytorchjob"}), "--as mpijob fits it"));
}

TEST_F(ExportFront, RefusesWhatItDoesNotKnow) {
  EXPECT_TRUE(has(text({"kubernets", "mpi.yml"}), "did you mean kubernetes?"));
  EXPECT_TRUE(has(text({"kubernetes", "mpi.yml", "--as", "mpijobs"}), "did you mean mpijob?"));
  EXPECT_TRUE(has(text({}), "no scheduler given"));
  EXPECT_TRUE(has(text({"kubernetes"}), "takes a scheduler and one job file"));
  EXPECT_TRUE(has(text({"kubernetes", "pipeline.yml"}), "a pipeline or a sweep"));
  EXPECT_TRUE(has(text({"kubernetes", "bad.yml"}), "did you mean command?"));
  EXPECT_TRUE(has(text({"kubernetes", "no_image.yml"}), "the job names no image"));
  EXPECT_TRUE(has(text({"kubernetes", "single.yml", "--target", "hosts"}),
                  "the target 'hosts' is no cluster of Kubernetes"));
  EXPECT_TRUE(has(text({"kubernetes", "single.yml", "--target", "lob"}),
                  "there is no compute target 'lob'"));
}

TEST_F(ExportFront, TargetsGiveImageAndKind) {
  const std::string made = text({"kubernetes", "mpi.yml", "--target", "lab"});
  EXPECT_TRUE(has(made, "kind: MPIJob\n")) << made;
  EXPECT_TRUE(
      has(text({"kubernetes", "no_image.yml", "--target", "lab", "--as", "job"}), "image: base\n"));
}

TEST_F(ExportFront, CommandsReachTheirShellAsTheyAre) {
  const std::string made = text({"kubernetes", "mpi.yml", "--as", "mpijob"});
  EXPECT_TRUE(has(made, "- mpirun -n 4 echo $$$ $$(hostname)\n")) << made;
  EXPECT_TRUE(has(made, "  name: my-job\n"));
  EXPECT_TRUE(has(made, "    activeDeadlineSeconds: 90\n"));
  EXPECT_TRUE(has(made, "  slotsPerWorker: 2\n"));
}

TEST_F(ExportFront, RanksWithoutALauncherGetTheOperators) {
  const std::string mpi =
      text({"kubernetes", "ranks.yml", "--as", "mpijob", "--set", "inputs.a=7"});
  EXPECT_TRUE(has(mpi, "            - mpirun\n            - -np\n            - '4'\n")) << mpi;
  EXPECT_TRUE(has(mpi, "            - -x\n            - A\n"));
  EXPECT_TRUE(has(mpi, "            - ./x 7\n"));
  const std::string torch = text({"kubernetes", "torch.yml", "--as", "pytorchjob"});
  EXPECT_TRUE(has(torch, "  nprocPerNode: '4'\n")) << torch;
  EXPECT_TRUE(has(torch, "            - torchrun\n            - --no-python\n"));
  EXPECT_TRUE(has(torch, "export NODE_RANK=\"$RANK\"\n"));
  EXPECT_TRUE(has(torch, "      replicas: 2\n"));
}

TEST_F(ExportFront, SettingsReachMusterInThePods) {
  const std::string made =
      text({"kubernetes", "ranks.yml", "--set", "inputs.a=7", "--nodes", "3", "--name", "n"});
  EXPECT_TRUE(has(made, "        - --set\n        - inputs.a=7\n        - --nodes\n")) << made;
  EXPECT_TRUE(has(made, "  completions: 3\n"));
  EXPECT_TRUE(has(made, "  name: n-worker\n"));
}

TEST_F(ExportFront, SecretsAreKeysOfASecretThatNobodyCommits) {
  const std::string made = text({"kubernetes", "secret.yml", "--as", "jobset"});
  EXPECT_TRUE(has(made,
                  "#   kubectl create secret generic secret --from-literal=secret=\"$(openssl "
                  "rand -hex 32)\" --from-literal=TOKEN=\"$TOKEN\"\n"))
      << made;
  EXPECT_TRUE(has(made, "secretKeyRef:\n"));
  EXPECT_FALSE(has(made, "kind: Secret"));
}

TEST_F(ExportFront, JsonIsOneObject) {
  EXPECT_TRUE(text({"kubernetes", "mpi.yml", "--as", "mpijob", "--json"})
                  .starts_with("{\n  \"apiVersion\": \"kubeflow.org/v2beta1\",\n"));
  EXPECT_TRUE(has(text({"kubernetes", "mpi.yml", "--json"}), "\"kind\": \"List\""));
}

TEST_F(ExportFront, TheTextGoesToAFileThatIsNamed) {
  const auto reading = read({"-o", "out/x.yml", "kubernetes", "mpi.yml"});
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->text_file, "/here/out/x.yml");
}

}  // namespace
}  // namespace muster::front
