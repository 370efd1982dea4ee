// What the record of a run says whose job has left the queue while its head wrote no end. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "batch/system.hpp"
#include "model/record.hpp"

namespace muster::batch {

struct JobEnd {
  model::RunState state = model::RunState::died;
  std::optional<int> exit_code = {};
  std::string code_from = {};  // as in a record
  std::string cause = {};      // one line
};

// What is known beside what the system says.
struct Traces {
  std::string id;              // of the job
  bool has_begun = false;      // its head has written to the record
  std::string last_words;      // of the script, on its stderr; may be empty
  std::string unwritten = {};  // the folder of its output, where nothing of that is; or empty
};

// `sight`: null where the system knows the job no more.
[[nodiscard]] JobEnd end_of(const System& system, const Sight* sight, const Traces& traces);

// The line of a script's stderr that says why it ended, without muster's name: the last one of
// muster's own, else the last.
[[nodiscard]] std::string last_words_of(std::string_view text);

// "Slurm job 12 waits: Resources; queued since 2026-11-23 21:30; expected to start at 2026-11-23
// 22:50", as far as these times are known; empty while the system gives no reason.
[[nodiscard]] std::string wait_words(const System& system, const Sight& sight);

}  // namespace muster::batch
