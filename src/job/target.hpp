// Targets: where jobs may run, as muster.yml describes it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "job/batch_place.hpp"
#include "job/cluster.hpp"
#include "job/job_file.hpp"
#include "job/layout.hpp"
#include "job/names.hpp"

namespace muster::job {

// One entry of muster.yml: hosts to be reached by ssh, a cluster of Kubernetes, a batch system, or
// this machine.
struct Target {
  std::string name;
  Mark mark;
  std::vector<Text> hosts;          // as in -H
  std::optional<Text> hostfile;     // as seen from muster.yml
  std::optional<Count> fake_nodes;  // how many this machine may play at most
  std::optional<Cluster> kubernetes;
  std::optional<BatchPlace> batch;
  std::optional<Count> slots;  // of each node that does not say it itself
  std::optional<Count> gpus;   // of each node
  bool oversubscribe = false;  // more processes than slots are fine
  std::vector<Named> reach;    // how its hosts are reached: ssh_port and so on, as written
  bool is_allocation = false;  // the hosts of the job around, chosen for this one
  std::optional<Text> image;   // of jobs that name none
  std::optional<Text> container_runtime;
  std::vector<Text> container_options;  // more words for it
  std::vector<Text> mounts;             // of all containers: SOURCE[:TARGET][:ro]
  std::vector<Text> without;            // what jobs may ask for and do not get here
};

struct Targets {
  std::string source;             // path of the file; empty when there is none
  std::optional<Text> preferred;  // of jobs that name no target
  std::vector<Target> all;
  std::vector<InstanceType> instance_types;  // besides those that muster knows
  Leads leads;                               // what names of a cloud stand for here
  std::optional<Text> run_bind_to;           // of `muster run` that is not told otherwise
  std::vector<Named> run_reach;              // how all hosts are reached, as in a target
  std::optional<Text> run_workdir;           // where ranks start; as seen from muster.yml
  std::vector<std::string> notices;  // of read_run_defaults(): keys that muster does not know
};

struct TargetsReading {
  Targets targets;
  std::vector<base::Error> complaints;
};

[[nodiscard]] TargetsReading read_targets(std::string_view text, const std::string& source);

// Only what it says of `muster run`, whatever else stands in it: unknown keys beside that are
// notices.
[[nodiscard]] TargetsReading read_run_defaults(std::string_view text, const std::string& source);

// The target of that name: "azureml:NAME" is NAME, an empty one and "serverless", with which Azure
// ML chooses the machines, are what muster.yml prefers, and
// "local" is this machine unless muster.yml says otherwise.
// `instead`: what whoever asks for another may type, for the hint.
[[nodiscard]] base::Result<Target> choose_target(const Targets& targets, const std::string& wanted,
                                                 std::string_view instead = "--target local");

[[nodiscard]] bool goes_without(const Target& target, std::string_view what);

}  // namespace muster::job
