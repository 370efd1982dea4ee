// Layout: how many nodes and processes a job file asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/complaints.hpp"
#include "job/job_file.hpp"

namespace muster::job {

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
  std::vector<Part> parts;
};

[[nodiscard]] Layout layout_of(const JobFile& job);

// Counts that were given beside a job file, in place of its own.
struct Counts {
  std::optional<std::uint32_t> nodes;
  std::optional<std::uint32_t> per_node;
};
void resize(JobFile& job, const Counts& counts, Complaints& complaints);

// GPUs of one of Azure's machine sizes; 0 for a size without, or one that is not known.
[[nodiscard]] std::uint32_t gpus_of(std::string_view instance_type);

}  // namespace muster::job
