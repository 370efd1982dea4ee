// The head process: carries out one run and reports how it ended.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "head/holder.hpp"
#include "head/kept_links.hpp"
#include "machine/head_machine.hpp"
#include "model/report.hpp"
#include "process/unique_fd.hpp"

namespace muster::head {

struct HeadOptions {
  machine::RunInput input;
  std::vector<std::string> environment;  // this process's own, "NAME=VALUE"
  std::string program;                   // path of this program, for agents
  std::string version;
  std::map<base::NodeIndex, process::UniqueFd> joined;  // connections of nodes that have come
  // Hears what happens to the run; may be empty. Of the end it hears once all output has been
  // written: what could not be written is in the report.
  std::function<void(const model::RunEvent&)> told = {};
  bool quiet = false;               // nothing is said on stderr of what happens meanwhile
  bool tells_interruption = true;   // unless who has sent the signal says it
  std::function<void()> tick = {};  // called a few times a second; may be empty
  Holder holder = {};               // when it ends, the run is told to end
  bool asks_for_end = true;         // of the Slurm job around, where the environment says none
  // Of heads that come one after the other; may be null. It uses what is there, and leaves its own
  // there if `input.keeps_links`.
  KeptLinks* links = nullptr;
};

// Blocks until the run has ended and every byte has been written. Call it while the process has one
// thread. Errors are those that come before anything has started.
[[nodiscard]] base::Result<model::RunReport> run_head(HeadOptions options);

struct Survey {
  model::RunReport report;                             // completed, or why not all could be asked
  std::vector<std::optional<model::HostFacts>> facts;  // index: node of the plan
};

// Greets the hosts of a plan without ranks and asks for their hardware; starts nothing.
[[nodiscard]] Survey survey(HeadOptions options);

}  // namespace muster::head
