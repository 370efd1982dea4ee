// Reads the answers of Slurm's commands. States: slurm(1) squeue, JOB STATE CODES.
#include "batch/slurm_answers.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/words.hpp"
#include "batch/answer_time.hpp"
#include "batch/slurm_reason.hpp"

namespace muster::batch {
namespace {

struct State {
  std::string_view word;
  Stage stage;
  How how = How::other;
};

constexpr std::array<State, 24> kStates = {{
    {"PENDING", Stage::waiting},
    {"REQUEUED", Stage::waiting},
    {"REQUEUE_FED", Stage::waiting},
    {"REQUEUE_HOLD", Stage::waiting},
    {"RESV_DEL_HOLD", Stage::waiting},
    {"SPECIAL_EXIT", Stage::waiting},
    {"CONFIGURING", Stage::running},
    {"RUNNING", Stage::running},
    {"COMPLETING", Stage::running},
    {"RESIZING", Stage::running},
    {"SIGNALING", Stage::running},
    {"STAGE_OUT", Stage::running},
    {"STOPPED", Stage::running},
    {"SUSPENDED", Stage::running},
    {"COMPLETED", Stage::over, How::exited},
    {"FAILED", Stage::over, How::exited},
    {"CANCELLED", Stage::over, How::cancelled},
    {"TIMEOUT", Stage::over, How::timed_out},
    {"DEADLINE", Stage::over, How::timed_out},
    {"NODE_FAIL", Stage::over, How::node_lost},
    {"BOOT_FAIL", Stage::over, How::node_lost},
    {"OUT_OF_MEMORY", Stage::over, How::no_memory},
    {"PREEMPTED", Stage::over, How::preempted},
    {"REVOKED", Stage::over, How::cancelled},
}};

// sacct adds " by UID", and "+" to a word that was cut. One that a later Slurm has is like one that
// runs: nothing is concluded from it.
State state_of(std::string_view word) {
  word = word.substr(0, word.find_first_of(" +"));
  const auto* found = std::ranges::find(kStates, word, &State::word);
  return found == kStates.end() ? State{word, Stage::running} : *found;
}

// The parts between bars, empty ones too.
std::vector<std::string> cells(std::string_view line) {
  std::vector<std::string> all;
  for (;;) {
    const std::size_t bar = line.find('|');
    all.emplace_back(line.substr(0, bar));
    if (bar == std::string_view::npos) return all;
    line = line.substr(bar + 1);
  }
}

bool says_nothing(std::string_view text) {
  return text.empty() || text == "None" || text == "(null)" || text == "N/A" || text == "n/a" ||
         text == "Unknown" || text == "NonZeroExitCode";
}

std::string told(const std::string& text) { return says_nothing(text) ? "" : text; }

std::optional<int> number(std::string_view text) {
  if (text.empty() || text.size() > 6) return std::nullopt;
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

// "CODE:SIGNAL"
std::optional<int> exit_code(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto code = number(text.substr(0, colon));
  const auto signal = number(text.substr(std::min(colon + 1, text.size())));
  if (signal.value_or(0) > 0) return 128 + *signal;
  return code;
}

std::optional<model::Utc> end_time(const State& state, const std::string& text) {
  if (state.stage != Stage::over) return std::nullopt;  // else it is the time limit's
  return zoned_time(text);
}

// One that was cancelled in the queue has had no hosts, whatever its start is said to be.
std::optional<model::Utc> start_time(const Sight& sight, const std::string& text) {
  const bool had_hosts = sight.stage != Stage::waiting && !sight.hosts.empty();
  return had_hosts ? zoned_time(text) : std::nullopt;
}

// To Slurm, a job without a time limit ends after a year, and one that is just being started in the
// year 2154: nobody would start that late. Whatever the zone.
bool is_guess(const std::string& time, model::Utc now) {
  constexpr std::chrono::days kHalfYear{183};
  constexpr std::size_t kSeconds = 19;
  const auto start = zoned_time(time.substr(0, kSeconds) + "+0000");
  return start && *start > now + kHalfYear;
}

template <class Read>
std::vector<Sight> read_lines(std::string_view said, std::size_t parts, Read read) {
  std::vector<Sight> all;
  for (const std::string& line : base::split(said, "\n")) {
    const auto cell = cells(line);
    if (cell.size() < parts || cell[0].empty()) continue;
    const State state = state_of(cell[1]);
    Sight& sight = all.emplace_back();
    sight.id = cell[0];
    sight.stage = state.stage;
    sight.how = state.how;
    sight.state = state.word;
    sight.ended = end_time(state, cell[parts - 1]);
    read(cell, sight);
  }
  return all;
}

// The number that follows one of these begins; empty: none does.
std::string job_named(std::string_view line, std::initializer_list<std::string_view> begins) {
  for (const std::string_view begin : begins) {
    if (!line.starts_with(begin)) continue;
    line.remove_prefix(begin.size());
    return slurm_id(line.substr(0, line.find(' ')));
  }
  return {};
}

}  // namespace

std::string slurm_id(std::string_view said) {
  for (const std::string& line : base::split(said, "\n")) {
    std::string id = line.substr(0, line.find(';'));
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (!id.empty() && std::ranges::all_of(id, is_digit)) return id;
  }
  return {};
}

std::string slurm_tested(std::string_view said, model::Utc now) {
  for (const std::string& line : base::split(said, "\n")) {
    const std::size_t start = line.find(" to start at ");
    if (start == std::string::npos) continue;
    const std::string rest = line.substr(start + 13);
    return is_guess(rest, now) ? "it would be taken; Slurm knows of no start within half a year"
                               : "it would start at " + rest;
  }
  return "it would be taken";
}

std::vector<Sight> slurm_listed(std::string_view said) {
  return read_lines(said, 7, [](const std::vector<std::string>& cell, Sight& sight) {
    sight.reason = told(cell[2]);
    if (sight.stage == Stage::waiting) sight.reason = slurm_reason(sight.reason, sight.id);
    sight.start = minute_in(told(cell[3]));
    sight.hosts = cell[4];
    sight.began = start_time(sight, cell[3]);
    sight.script_host = told(cell[5]);
    if (cell.size() > 7) sight.queued = minute_in(told(cell[7]));
  });
}

std::vector<Sight> slurm_past(std::string_view said) {
  return read_lines(said, 5, [](const std::vector<std::string>& cell, Sight& sight) {
    sight.code = exit_code(cell[2]);
    const bool has_hosts = cell[3] != "None assigned";
    sight.hosts = has_hosts ? told(cell[3]) : "";
    if (cell.size() > 5) sight.began = start_time(sight, cell[5]);
  });
}

// Its sentences: slurm src/salloc/salloc.c and src/api/allocate.c. Plugins of a site may speak of
// other jobs in others.
AllocationNews slurm_allocating(std::string_view said) {
  AllocationNews news;
  for (const std::string& line : base::split(said, "\n")) {
    const std::string own =
        job_named(line, {"salloc: Pending job allocation ", "salloc: Granted job allocation "});
    if (!own.empty()) news.id = own;
    const std::string ended = job_named(line, {"salloc: Job allocation ", "salloc: Job "});
    if (line.find("exceeded its time limit") != std::string::npos) {
      news.end = fmt::format("Slurm job {} has reached its time limit", ended);
    } else if (line.find("has been revoked") != std::string::npos && news.end.empty()) {
      news.end = fmt::format("Slurm job {} was ended", ended);
    }
  }
  return news;
}

}  // namespace muster::batch
