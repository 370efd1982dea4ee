// ErrorFiles: the files in memory that TORCHELASTIC_ERROR_FILE names, one for each task of a host.
// Tasks reach them through /proc; they go with this process, whoever is killed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "process/unique_fd.hpp"

namespace muster::app {

class ErrorFiles {
 public:
  // "TORCHELASTIC_ERROR_FILE=..." of a task, and PYTHONPATH with the hook in front of `python_path`
  // when `hook`; nothing where memory is short: the task runs all the same. An earlier file of the
  // same rank is forgotten.
  [[nodiscard]] std::vector<std::string> open(base::Rank rank, bool hook,
                                              const std::string& python_path);
  // What the task has written, at most wire::kErrorFileMax bytes. Its file is forgotten.
  [[nodiscard]] std::string take(base::Rank rank);

 private:
  std::map<base::Rank, process::UniqueFd> files_;
  process::UniqueFd hook_;  // the archive, once somebody wants it
};

}  // namespace muster::app
