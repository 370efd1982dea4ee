// What muster export writes of seed 002's jobs: tests/golden/data/export/KIND_NAME.yml, after the
// lines that it says on stderr.
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "front/front.hpp"
#include "golden/golden.hpp"

namespace muster::golden {
namespace {

constexpr std::string_view kLab = R"(targets:
  lab:
    kubernetes:
      namespace: team-a
      image: registry.example/python
      muster_image: registry.example/muster:1
      code: /data/code
      queue: team-a
      security: baseline
      volumes: [{mount: /data, claim: data, read_only: true}]
      ttl: 600
  user:
    kubernetes:
      user: 1000
      gang: {by: volcano, queue: team-a}
      priority_class: high
  plugins:
    kubernetes:
      gang: {by: scheduler-plugins, timeout: 600}
)";

front::Call export_call(std::vector<std::string> words) {
  const auto read = [](const std::string& path, std::size_t) -> base::Result<std::string> {
    if (path == "/jobs/muster.yml") return std::string(kLab);
    std::ifstream file(MUSTER_SOURCE_DIR "/examples/jobs/" + path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  front::Call call;
  call.called = "export";
  call.words = std::move(words);
  call.current_folder = "/jobs";
  call.read_file = read;
  call.has_file = [](const std::string& path) { return path == "/jobs/muster.yml"; };
  return call;
}

struct Export {
  std::string kind;
  std::string job;
  std::string target;    // or ""
  std::string mpi = "";  // for --mpi
};

std::string name_of(const Export& one) {
  std::string name = one.kind + "_" + one.job;
  for (const std::string& more : {one.target, one.mpi}) name += (more.empty() ? "" : "_") + more;
  return name;
}

class ExportedJob : public testing::TestWithParam<Export> {};

TEST_P(ExportedJob, IsThisManifest) {
  const auto [kind, job, target, mpi] = GetParam();
  std::vector<std::string> words = {"kubernetes", job + ".yml", "--as", kind};
  if (!target.empty()) words.insert(words.end(), {"--target", target});
  if (!mpi.empty()) words.insert(words.end(), {"--mpi", mpi});
  const auto read = front::front_of("export")->read(export_call(words));
  ASSERT_TRUE(read) << base::to_string(read.error());
  for (const base::Error& error : read->complaints) ADD_FAILURE() << base::to_string(error);
  std::string said;
  for (const std::string& notice : read->notices) said += "stderr: " + notice + "\n";
  expect_golden("export/" + name_of(GetParam()) + ".yml", said + read->text);
}

INSTANTIATE_TEST_SUITE_P(
    Seed, ExportedJob,
    testing::Values(
        Export{"mpijob", "horovodrun", ""}, Export{"mpijob", "mpirun", ""},
        Export{"mpijob", "mpirun_same_environment", ""}, Export{"mpijob", "mpirun_k8s", ""},
        Export{"mpijob", "mpirun_k8s", "lab"}, Export{"pytorchjob", "torch_launch", ""},
        Export{"pytorchjob", "torch_k8s", ""}, Export{"pytorchjob", "torch_k8s", "lab"},
        Export{"tfjob", "tensorflow_workers", ""}, Export{"tfjob", "tensorflow_servers", ""},
        Export{"job", "tensorflow_servers", ""}, Export{"job", "mpirun_k8s", "lab"},
        Export{"mpijob", "mpirun", "user"}, Export{"trainjob", "torch_k8s", ""},
        Export{"trainjob", "torch_k8s", "lab"}, Export{"pytorchjob", "torch_k8s", "plugins"},
        Export{"job", "mpirun", "user"}, Export{"jobset", "torch_k8s", ""},
        Export{"jobset", "tensorflow_servers", "lab"},
        Export{"mpijob", "command_mpi", "lab", "OpenMPI"},
        Export{"mpijob", "command_mpi", "lab", "Intel"},
        Export{"mpijob", "command_mpi", "lab", "MPICH"},
        Export{"mpijob", "mpirun", "user", "MPICH"}),
    [](const auto& one) { return name_of(one.param); });

}  // namespace
}  // namespace muster::golden
