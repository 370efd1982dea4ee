// ErrorFiles: the files in memory in which tasks say why they fail, one for each task of a host:
// TORCHELASTIC_ERROR_FILE names them to Python and torch, MUSTER_REPORT_FILE to launchers in a
// task. Tasks reach them through /proc; they go with this process, whoever is killed.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "process/unique_fd.hpp"

namespace muster::host {

class ErrorFiles {
 public:
  // Who may write to the file of a task, beside launchers.
  enum class For : std::uint8_t { launchers, torch, python };
  // The variables of a task that name its file; for Python, PYTHONPATH with the hook in front of
  // `python_path` besides. Nothing where memory is short: the task runs all the same. An earlier
  // file of the same rank is forgotten.
  [[nodiscard]] std::vector<std::string> open(base::Rank rank, For whom,
                                              const std::string& python_path);
  struct Told {
    std::string text;                  // at most wire::kErrorFileMax bytes
    std::chrono::microseconds ago{0};  // when it was written last
    bool is_launchers = false;         // by a launcher in the task, which may have gone on
  };
  // What the task has written. Its file is forgotten.
  [[nodiscard]] Told take(base::Rank rank);

 private:
  std::map<base::Rank, process::UniqueFd> files_;
  process::UniqueFd hook_;  // the archive, once it is needed
};

}  // namespace muster::host
