// check_script: whether the script that a job's command starts first is in the job's folder.
#pragma once

#include <cstddef>
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

// The launchers of which the plan shows nothing: `found` in the command, and those that its scripts
// call for a shell to follow.
void tell_unforeseen(const Call& call, const job::JobFile& job, const model::JobSpec& spec,
                     const ScriptFolder& where, const std::vector<Unforeseen>& found,
                     std::vector<std::string>& notices);

// Where a word of the command stands in its file; `before`: how often the command holds the same
// before it.
[[nodiscard]] job::Mark place_in_command(const Call& call, const job::JobFile& job,
                                         const std::string& word, std::size_t before,
                                         const std::vector<std::string>& sources);

}  // namespace muster::front
