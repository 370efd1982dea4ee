// A plan as a table for people and as JSON for programs, line by line. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/job_spec.hpp"
#include "model/plan.hpp"
#include "model/record.hpp"
#include "view/chunked_text.hpp"
#include "view/report.hpp"

namespace muster::view {

struct EnvironmentWords {
  std::vector<model::Variable> common;  // of every rank
  // What else a rank has. Called once per rank.
  std::function<std::vector<model::Variable>(base::Rank)> own;
  bool one_rank = false;  // the table has that of rank 0 alone
};

// The folder of a job's code, of which its ranks would get a copy.
struct CodeWords {
  std::string folder;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> notices;  // about links and what is left out
};

struct PlanWords {
  const model::JobSpec& spec;
  const model::Plan& plan;
  // Why a rank is where it is. Called once per rank.
  std::function<std::string(base::Rank)> reason;
  std::optional<EnvironmentWords> environment = {};                // nothing: not asked for
  std::vector<std::pair<std::string, std::string>> withheld = {};  // variable, why
  std::vector<model::NamedPath> outputs = {};  // of a job file, with their folders
  std::vector<model::NamedPath> names = {};    // of what lies in a cloud, and where they lead
  std::optional<CodeWords> code = {};          // none: they run in the folder itself
  const PlanWords* inner = nullptr;  // what a launcher in the command would start, if it is known
};

// "node1 slots=4" for each host that a launcher in the command is given.
[[nodiscard]] std::vector<std::string> launcher_hosts(const model::JobSpec& spec);

// That an app's ranks run in; empty: none.
[[nodiscard]] std::string image_of(const model::JobSpec& spec, const model::App& app);

// A table with a head line: rank, host, local rank, cpus, reason; then, with an environment, the
// programs, and the variables with their reasons: those that all ranks share, then the ranks' own;
// the same of ranks that a launcher in the command starts; then what is withheld. Reasons that do
// not fit the style's width are folded.
void plan_table(const PlanWords& words, Style style, const Take& take);

// One JSON object; docs/manual/dry-run.md gives its shape. Bytes that are not UTF-8 are
// written as \xNN, never fatal.
void plan_json(const PlanWords& words, const Take& take);

}  // namespace muster::view
