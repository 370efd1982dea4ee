// Layout: how many nodes and processes a job file asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/complaints.hpp"
#include "job/job_file.hpp"

namespace muster::job {

// A machine size, as `instance_type` names it.
struct InstanceType {
  std::string name;
  std::uint32_t gpus = 0;
  // On Kubernetes:
  std::optional<Text> cpu = {};
  std::optional<Text> memory = {};
  std::vector<Named> node_selector = {};
};

// Processes that do the same: all of a job, or one role of TensorFlow's.
struct Part {
  std::string role;  // empty, "worker" or "ps"
  std::uint32_t processes = 1;
  const Role* settings = nullptr;  // points into the job file
};

struct Layout {
  std::uint32_t nodes = 1;
  std::uint32_t per_node = 1;
  std::uint32_t slots = 1;  // of a node, for a launcher in the command
  bool launches = false;    // the command runs once, on this machine, and starts ranks on the nodes
  // Neither the job nor its machine size says how many processes a node takes: its host may.
  bool guesses_slots = false;
  // The processes have fewer nodes than there are of them, and are dealt out one node at a time.
  bool shares = false;
  std::vector<Part> parts;
};

[[nodiscard]] Layout layout_of(const JobFile& job, std::span<const InstanceType> known = {});

// Lets TensorFlow's parameter servers share `has` nodes with the workers where the job does not say
// how many nodes it needs and there are fewer than processes; each worker keeps a node of its own.
// Returns whether they do.
[[nodiscard]] bool share_nodes(const JobFile& job, std::size_t has, Layout& layout);

// Counts that were given beside a job file, in place of its own.
struct Counts {
  std::optional<std::uint32_t> nodes;
  std::optional<std::uint32_t> per_node;
};
void resize(JobFile& job, const Counts& counts, Complaints& complaints);

// The entry of muster.yml for a machine size, or null; names as in gpus_of().
[[nodiscard]] const InstanceType* find_type(std::string_view instance_type,
                                            std::span<const InstanceType> known);

// GPUs of one of Azure's machine sizes, or of one of those that muster.yml describes, which win;
// in upper or lower case, as Azure takes them.
[[nodiscard]] std::optional<std::uint32_t> gpus_of(std::string_view instance_type,
                                                   std::span<const InstanceType> known = {});

}  // namespace muster::job
