// Names of older files and SDKs, in each kind of file that may hold them.
#include "job/old_names.hpp"

#include <gtest/gtest.h>

#include "job/read_job.hpp"
#include "unit/job/drawn.hpp"

namespace muster::job::old_names_test {
namespace {

// What is said of a file, line by line.
std::string told(const std::string& text) {
  std::vector<base::Error> all = is_pipeline(text) ? read_all({{"p.yml", text}}).complaints
                                                   : read_component(text, "p.yml").complaints;
  std::string lines;
  for (const base::Error& error : all) lines += to_string(error) + "\n";
  return lines;
}

void expect(const std::string& text, const std::vector<std::string>& hints) {
  const std::string said = told(text);
  for (const std::string& hint : hints) {
    EXPECT_NE(said.find("\n  hint: write " + hint + " instead\n"), std::string::npos)
        << hint << "\n"
        << said;
  }
  EXPECT_EQ(said.find("keys that are allowed here"), std::string::npos) << said;
}

TEST(OldNames, of_jobs) {
  expect("type: command\nscript: a.py\ntarget: gpu\n",
         {"command: python SCRIPT ARGUMENTS", "compute: TARGET"});
  expect("muster: 1\nscript: a.py\nnode_count: 2\nmpi: {}\n",
         {"command: python SCRIPT ARGUMENTS", "distribution: {node_count: N}",
          "distribution: {type: mpi, process_count_per_node: N}"});
}

TEST(OldNames, of_components) {
  expect("name: c\ntype: CommandComponent\nscript: a.py\ndocker: x\ncompute_target: gpu\n",
         {"command: python SCRIPT ARGUMENTS", "environment: {image: IMAGE}",
          "runsettings: {target: TARGET}"});
}

TEST(OldNames, of_sweeps) {
  expect(
      "type: sweep\nscript: a.py\nhyperdrive: {}\ntarget: gpu\nnode_count: 2\n"
      "trial: {command: x, docker: y}\n",
      {"trial: {command: python SCRIPT ARGUMENTS}",
       "search_space, sampling_algorithm and objective", "compute: TARGET",
       "resources: {instance_count: N}", "environment: {image: IMAGE}"});
}

TEST(OldNames, of_steps) {
  expect("type: pipeline\njobs:\n  a: {type: command, script: x, compute_target: gpu, mpi: {}}\n",
         {"command: python SCRIPT ARGUMENTS", "compute: TARGET",
          "distribution: {type: mpi, process_count_per_instance: N}"});
}

TEST(OldNames, of_types) {
  for (const auto& [type, now] :
       {std::pair("HyperDriveConfig",
                  "type: sweep, with trial, search_space, sampling_algorithm and objective"),
        std::pair("MpiConfiguration", "type: command, and distribution: {type: mpi}"),
        std::pair("PyTorchConfiguration", "type: command, and distribution: {type: pytorch}"),
        std::pair("TensorflowConfiguration",
                  "type: command, and distribution: {type: tensorflow}")}) {
    expect(std::string("command: x\ntype: ") + type + "\n", {now});
  }
  EXPECT_EQ(type_written_now("PyTorchConfiguration", "mpi pytorch tensorflow"),
            "write type: pytorch instead");
  EXPECT_EQ(type_written_now("commandjob", "command"), "");
}

}  // namespace
}  // namespace muster::job::old_names_test
