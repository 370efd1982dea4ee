// What a record without an end means, and the words of states.
#include "model/record.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace muster::model {
namespace {

constexpr std::array<std::string_view, 8> kWords = {"queued", "starting", "running", "completed",
                                                    "failed", "stopped",  "died",    "unknown"};

std::string how_it_died(const HeadPlace& head, const HeadPlace& here) {
  if (!head.boot.empty() && head.boot != here.boot) {
    return fmt::format("{} was restarted while it ran", head.host);
  }
  return fmt::format("muster (pid {}) ended without a report, as after SIGKILL", head.pid);
}

bool has_tag(const RunRecord& record, const RunFilter::Tagged& wanted) {
  return std::ranges::any_of(record.tags, [&](const Tag& tag) {
    return tag.name == wanted.name && (!wanted.value || tag.value == *wanted.value);
  });
}

// One whose end nobody saw is as old as its beginning.
bool is_older(const RunRecord& record, base::Duration age, Utc now) {
  if (record.is_live()) return false;
  const auto since = record.ended ? record.ended : record.created;
  return since && now - *since > age;
}

}  // namespace

std::string_view word(RunState state) { return kWords[static_cast<std::size_t>(state)]; }

std::optional<RunState> run_state(std::string_view word) {
  const auto* found = std::ranges::find(kWords, word);
  if (found == kWords.end()) return std::nullopt;
  return static_cast<RunState>(found - kWords.begin());
}

Utc begin_of(const RunRecord& record) {
  return record.started.value_or(record.created.value_or(Utc()));
}

double seconds_of(const RunRecord& record, Utc now) {
  const Utc begin = record.started.value_or(record.created.value_or(now));
  const Utc end = record.ended.value_or(now);
  return std::max(0.0, std::chrono::duration<double>(end - begin).count());
}

double seconds_of(const StepRecord& step, Utc now) {
  if (!step.started) return 0;
  return std::max(0.0,
                  std::chrono::duration<double>(step.ended.value_or(now) - *step.started).count());
}

const StepRecord* culprit_of(const RunRecord& record) {
  const StepRecord* first = nullptr;
  for (const StepRecord& step : record.steps) {
    const bool fails = step.state == StepState::failed || step.state == StepState::stopped;
    if (fails && step.ended && (first == nullptr || *step.ended < *first->ended)) first = &step;
  }
  return first;
}

bool matches(const RunFilter& filter, const RunRecord& record, Utc now) {
  if (!filter.experiment.empty() && record.experiment != filter.experiment) return false;
  if (!filter.states.empty() && !std::ranges::count(filter.states, record.state)) return false;
  if (filter.older_than && !is_older(record, *filter.older_than, now)) return false;
  return std::ranges::all_of(filter.tags, [&](const auto& tag) { return has_tag(record, tag); });
}

void abandon_steps(RunRecord& record) {
  for (StepRecord& step : record.steps) {
    if (step.state == StepState::running) {
      step.state = StepState::stopped;
      step.ended = std::max(record.ended, step.started);
    }
    if (step.state == StepState::waiting) step.state = StepState::blocked;
  }
}

RunRecord judged(RunRecord record, const Unfinished& found) {
  record.started = found.started;
  if (record.scheduler.id.empty()) record.scheduler.id = found.job;
  if (found.is_held) {
    record.state = found.started ? RunState::running : RunState::starting;
    return record;
  }
  if (found.ending) {
    record.state = found.ending->state;
    record.exit_code = found.ending->exit_code;
    record.code_from = found.ending->code_from;
    record.cause = found.ending->cause;
    record.ended = found.ending->time;
    return record;
  }
  // Only its scheduler knows more.
  if (!record.scheduler.kind.empty()) {
    record.state = RunState::queued;
    return record;
  }
  // A file system's clock may be some milliseconds behind.
  if (found.last_event) record.ended = std::max(*found.last_event, begin_of(record));
  abandon_steps(record);
  if (record.head.host == found.here.host) {
    record.state = RunState::died;
    record.cause = how_it_died(record.head, found.here);
  } else {
    record.state = RunState::unknown;
    record.cause = fmt::format("{} holds no lock on it that can be seen from {}", record.head.host,
                               found.here.host);
  }
  return record;
}

}  // namespace muster::model
