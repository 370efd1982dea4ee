// HostOrders: all that a host needs to start its ranks of a world; its agent combines World and
// Prepare. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "machine/rank_variables.hpp"
#include "model/cpu_set.hpp"
#include "model/memory_policy.hpp"
#include "model/terminal_size.hpp"
#include "wire/messages.hpp"

namespace muster::machine {

struct TaskOrder {
  base::Rank rank;
  std::uint32_t app = 0;                  // index in HostOrders::apps
  bool input = false;                     // gets a pipe as stdin; otherwise /dev/null
  model::CpuSet cpus = {};                // where it may run; empty: wherever its agent may
  std::vector<std::string> command = {};  // program and arguments; empty: those of its app
};

// What all ranks of one program share.
struct AppOrder {
  std::vector<std::string> command;
  std::string workdir;
  std::string path;                     // folders searched before PATH, with ':' between
  std::vector<wire::NameValue> kept;    // no muster made it: laid over the agent's own environment
  std::vector<model::Variable> given;   // muster makes it: laid over `kept`
  bool tries_workdir = false;           // for a bare name that is not on PATH
  std::string python_program = {};      // as in model::App
  std::string python_environment = {};  // likewise
  bool clean = false;                   // likewise
  std::string python_path = {};         // likewise
};

// What the wire-up servers of a host must know about a world.
struct WireupOrders {
  bool pmi = false;            // serve PMI-1 and PMI-2
  std::string name;            // of the key-value space, the same on every host
  std::uint32_t size = 1;      // ranks of the world
  std::uint32_t universe = 0;  // slots in all
  std::string mapping;         // PMI_process_mapping
  // For this host's PMIx server: the first world and, where the host joins late, those spawned
  // since. Empty: no PMIx, or its server knows the others already.
  std::vector<wire::pmix::AddJob> pmix_jobs;
  std::uint32_t world = 1;              // as in model::World
  base::Rank first;                     // likewise
  std::string spawner;                  // name of the world that spawned this one; empty: none
  std::vector<wire::NameValue> preput;  // what the key-value space holds from the start
};

struct HostOrders {
  std::vector<AppOrder> apps;
  std::vector<TaskOrder> tasks;
  std::shared_ptr<const RankVariables> variables;
  WireupOrders wireup;
  model::EnvironmentRule environment;
  std::string hostfile;      // text of the file that AZUREML_MPI_HOSTFILE names
  std::uint32_t window = 0;  // first credit of each output stream, bytes
  bool error_files = false;  // every task gets a TORCHELASTIC_ERROR_FILE
  bool python_hook = false;  // Python tasks get one, and what writes a raised exception there
  std::vector<std::string> launchers;           // names under which tasks find muster on their PATH
  std::vector<std::string> folders;             // to be made, with those above them
  std::uint16_t held_port = 0;                  // as in Prepare
  std::optional<model::TerminalSize> terminal;  // each task's stdout is one; none: a pipe
  model::CpuSet claims;                         // as in Prepare
  std::vector<model::Devices> device_claims;    // likewise
  model::MemoryWish memory = {};                // of all tasks

  // What muster sets for a task besides the variables of its app.
  [[nodiscard]] std::vector<model::Variable> given(const TaskOrder& task) const {
    return variables->own(base::Rank(task.rank.value - wireup.first.value));
  }
};

// Fault::internal: the two contradict each other.
[[nodiscard]] base::Result<HostOrders> host_orders(const wire::World& world,
                                                   const wire::Prepare& own);

// The ranks of a node, as the run numbers them.
[[nodiscard]] std::vector<base::Rank> ranks_of(const wire::World& world, base::NodeIndex node);

}  // namespace muster::machine
