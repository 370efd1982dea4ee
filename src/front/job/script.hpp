// The scripts that a job's command starts: whether the first is in the job's folder, and which
// launchers they call.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "front/call.hpp"
#include "front/inner_request.hpp"
#include "job/complaints.hpp"
#include "job/job_file.hpp"
#include "model/job_spec.hpp"

namespace muster::front {

// Where relative paths of the command begin: in the job's code, or in this folder.
struct ScriptFolder {
  std::string folder;
  bool is_seen = false;   // what processes find there is what lies there now
  bool has_code = false;  // the code that they find is the one that lies here
};

// Complains only where it is sure: no command before it makes files, and nobody else does.
void check_script(const Call& call, const job::JobFile& job, const model::JobSpec& spec,
                  const ScriptFolder& where, job::Complaints& complaints);

// What is known of the launchers in the scripts of a command.
struct ScriptLaunchers {
  std::vector<Unforeseen> unforeseen = {};
  std::optional<base::Error> mistake = {};  // the command comes to it for sure
};
// Places in scripts are named as the job's file is among the sources.
[[nodiscard]] ScriptLaunchers launchers_in_scripts(const Call& call, const job::JobFile& job,
                                                   const model::JobSpec& spec,
                                                   const ScriptFolder& where,
                                                   const std::vector<std::string>& sources);

// One line for those of which the plan shows nothing; empty: there are none.
[[nodiscard]] std::string told_unforeseen(const std::vector<Unforeseen>& found);

// Where a word of the command stands in its file; `before`: how often the command holds the same
// before it.
[[nodiscard]] job::Mark place_in_command(const Call& call, const job::JobFile& job,
                                         const std::string& word, std::size_t before,
                                         const std::vector<std::string>& sources);

}  // namespace muster::front
