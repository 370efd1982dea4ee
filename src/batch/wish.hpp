// Wish: a job as it is to be handed to a batch system, in the words of none. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"

namespace muster::batch {

struct Wish {
  using Named = std::pair<std::string, std::string>;

  std::string name;                // of the job; may be empty
  std::vector<std::string> about;  // lines for people who read the script
  // Of hosts that are held (System::allocate), 0: the system chooses.
  std::uint32_t nodes = 1;
  std::uint32_t per_node = 1;  // processes of each
  std::uint32_t tasks = 0;     // of all nodes, where it is not said how many each has
  // What the job asks for where the target says nothing:
  std::optional<std::uint32_t> cpus_per_task;
  std::optional<std::uint32_t> gpus_per_node;
  std::optional<std::uint32_t> gpus_per_task = {};
  std::optional<std::uint64_t> memory;  // bytes of each node
  std::optional<base::Duration> limit;  // of the run
  // What the target says, in the spelling of muster.yml, and what it passes on unread.
  std::vector<Named> options;
  std::vector<Named> raw;
  std::vector<std::string> setup;  // lines of shell before the command
  std::string folder;              // in which the command runs, absolute
  std::string out;                 // files that its output is added to; empty: the system chooses
  std::string err;
  std::vector<Named> variables;  // of the command
  std::vector<std::string> command;
};

}  // namespace muster::batch
