// One function for each command; all find their runs in the same way.
#include "cli/records.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <unistd.h>

#include "base/check.hpp"
#include "base/words.hpp"
#include "cli/adopt.hpp"
#include "cli/collect.hpp"
#include "cli/forget.hpp"
#include "cli/list.hpp"
#include "cli/logs.hpp"
#include "cli/meant_record.hpp"
#include "cli/queued.hpp"
#include "cli/run.hpp"
#include "cli/scheduled.hpp"
#include "cli/speak.hpp"
#include "cli/typed_line.hpp"
#include "process/signal_one.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/growing_file.hpp"
#include "store/lock.hpp"
#include "store/metric_files.hpp"
#include "store/owner.hpp"
#include "store/reader.hpp"
#include "view/graph_drawing.hpp"
#include "view/last_lines.hpp"
#include "view/record_json.hpp"
#include "view/record_words.hpp"
#include "view/step_words.hpp"
#include "view/steps_json.hpp"

namespace muster::cli {
namespace {

using base::Fault;
using base::Result;
using front::RecordRequest;
using front::RecordVerb;
using model::RunRecord;

// With what its ranks have logged so far, if they have.
RunRecord looked_at(RunRecord record) {
  model::Logged logged =
      store::logged_in(fmt::format("{}/{}", record.folder, front::kMetricsFolder));
  if (logged != model::Logged()) record.logged = std::move(logged);
  return record;
}

int print_json(const RunRecord& record) {
  return print(view::record_json(looked_at(record), store::utc_now()) + "\n");
}

// How it ended.
int print_end(const RunRecord& record, const RecordRequest& request) {
  return request.json ? print_json(record) : print(view::record_sentence(record) + "\n");
}

int show(const RunRecord& record, const RecordRequest& request) {
  if (request.json) return print_json(record);
  const auto text = store::read_file(record.folder + "/report.txt");
  const std::size_t width = style_for(STDOUT_FILENO).width;
  return print(view::record_words(looked_at(record), store::utc_now(), width) +
               view::warning_words(text.value_or(""), width));
}

int report(const RunRecord& record, const RecordRequest& request) {
  if (record.is_live()) {
    return complain({Fault::usage,
                     record.run + " is still running: there is no report yet",
                     "muster wait " + record.run,
                     {}});
  }
  const auto text = store::read_file(record.folder + "/report.txt");
  if (request.json) {
    return print(view::report_json(looked_at(record), text.value_or(""), store::utc_now()) + "\n");
  }
  return print(text ? *text : view::record_sentence(record) + "\n");
}

// ---- pictures -----------------------------------------------------------------------------------

std::string note_of(const model::StepRecord& step) {
  std::string note(word(step.state));
  if (step.started) note += ", " + view::span_words(seconds_of(step, store::utc_now()));
  return note;
}

int graph(const RunRecord& record, const RecordRequest& request) {
  const auto plan = store::read_file(record.folder + "/plan.json");
  const auto edges = view::read_steps(plan.value_or(""));
  if (edges.size() != record.steps.size() || edges.empty()) {
    return complain(
        {Fault::usage, record.run + " is not a pipeline", "muster ps lists all runs", {}});
  }
  std::vector<view::DrawnStep> steps;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const model::StepRecord& step = record.steps[i];
    steps.push_back({step.name, edges[i].after, step.state, note_of(step)});
  }
  return print(request.svg ? view::svg(steps) : view::mermaid(steps));
}

// ---- the end of a run ---------------------------------------------------------------------------

RunRecord ended(const RunRecord& record) {
  if (const auto events = store::open_events(record.folder)) store::wait_for_lock(events.get());
  return store::read_record(record.folder).value_or(record);
}

// The code of a run whose muster never gave one.
int code_of(const RunRecord& record) {
  return record.exit_code.value_or(base::exit_code(Fault::lost));
}

int tell_end(const RunRecord& record, const RecordRequest& request) {
  if (request.json) return first_code(code_of(record), print_json(record));
  if (!record.ended_well()) warn(view::record_sentence(record));
  return code_of(record);
}

int wait(const RunRecord& record, const RecordRequest& request, const Invocation& invocation) {
  if (!record.is_live()) return tell_end(record, request);
  RunRecord now = ended(record);
  if (is_scheduled(now)) now = await_end(std::move(now), invocation);
  return tell_end(now, request);
}

// The kernel names the process that holds the lock: no other can be meant.
Result<void> interrupt(const RunRecord& record, const RecordRequest& request) {
  const auto events = store::open_events(record.folder);
  const auto holder = [&] { return events ? store::holder_of(events.get()) : std::nullopt; };
  const auto pid = holder();
  if (!pid) return {};
  const auto signal = [&](int number) {
    return process::signal_one(*pid, number, [&] { return holder() == pid; });
  };
  if (*pid > 0 && signal(SIGINT)) {
    (void)signal(SIGCONT);  // it may be suspended, and would not hear of it
    return {};
  }
  return base::fail(Fault::unreachable, "run it there: " + typed_stop(request, record.run),
                    "{} runs on {}, which cannot be reached from here", record.run,
                    record.head.host);
}

// One that is still being handed over to its scheduler is stopped like any other.
int stop(const RunRecord& record, const RecordRequest& request, const Invocation& invocation) {
  if (!record.is_live()) return print_end(record, request);
  const bool is_handed_over = is_queued_run(record) ? !record.scheduler.id.empty()
                                                    : record.state != model::RunState::starting;
  const bool is_elsewhere = is_scheduled(record) && is_handed_over;
  const auto sent = is_elsewhere ? stop_scheduled(record, invocation) : interrupt(record, request);
  if (!sent) return complain(sent.error());
  if (!is_elsewhere) return print_end(ended(record), request);
  const auto stopped = await_stopped(record, invocation);
  return stopped ? print_end(*stopped, request) : complain(stopped.error());
}

// ---- the end of following -----------------------------------------------------------------------

// The last lines of a job's only rank on its stderr.
std::vector<std::string> last_said(const RunRecord& record) {
  constexpr std::size_t kLines = 64;
  constexpr std::size_t kBytes = std::size_t{256} << 10;
  const process::UniqueFd file = store::open_file(record.streams + "/rank.0/stderr");
  if (!file) return {};
  std::string text;
  store::GrowingFile grows;
  grows.end(file.get());
  grows.begin_at_last(file.get(), kLines);
  grows.read(file.get(), kBytes, [&](std::string_view bytes) { text += bytes; });
  return base::split(text, "\n");
}

// The line of its stderr that a report's first line ends with: "... (pid 12): ValueError: bad".
std::string_view telling_line_of(std::string_view report) {
  const std::string_view first = report.substr(0, report.find('\n'));
  const std::size_t pid = first.find(" (pid ");
  const std::size_t end = pid == std::string_view::npos ? pid : first.find("): ", pid);
  return end == std::string_view::npos ? std::string_view() : first.substr(end + 3);
}

// Without what the only rank of a job has just said on its stderr, and what repeats that: frames,
// last lines and the report of a launcher in the rank. As view::untold() does while it runs.
std::string untold(const std::string& report, const std::vector<std::string>& said) {
  const std::string_view telling = telling_line_of(report);
  const bool was_told = !telling.empty() && std::ranges::any_of(said, [&](const auto& one) {
    return one.find(telling) != std::string::npos;
  });
  std::string text;
  for (const std::string& line : base::split(report, "\n")) {
    const bool repeats = line.starts_with("    at ") || line.starts_with("  | ");
    if ((repeats && was_told) || std::ranges::count(said, line) > 0) continue;
    text += line + "\n";
  }
  return text;
}

// What says why, in the first lines of a report.
void tell_cause(const RunRecord& record, const RecordRequest& request) {
  constexpr std::size_t kCauseLines = 3;  // view::report()
  const auto whole = store::read_file(record.folder + "/report.txt");
  if (!whole || whole->empty()) return warn(view::record_sentence(record));
  const bool shows_all =
      record.ranks == 1 && !record.streams.empty() && !request.tail && !request.since;
  const std::string text = shows_all ? untold(*whole, last_said(record)) : *whole;
  const std::string_view first = view::first_lines(text, kCauseLines);
  say(first);
  if (first.size() < text.size())
    note(fmt::format("all of the report: muster report {}", record.run));
}

// Who follows a run to its end ends as the run did.
int end_like(const RunRecord& followed, const RecordRequest& request,
             const Invocation& invocation) {
  RunRecord now = store::read_record(followed.folder).value_or(followed);
  if (is_scheduled(now)) now = asked_for(std::move(now), invocation);
  if (now.is_live()) return 0;  // only the following has ended
  const bool is_told = is_queued_run(now) && now.streams.empty() && now.steps.empty();
  if (!now.ended_well() && !request.json && !is_told && !is_quiet()) {
    tell_cause(now, request);
  }
  return code_of(now);
}

int print_logs(const RunRecord& record, const RecordRequest& request,
               const Invocation& invocation) {
  const int code =
      is_scheduled(record) ? scheduled_logs(record, request, invocation) : logs(record, request);
  return code == 0 && request.follow ? end_like(record, request, invocation) : code;
}

// ---- repeating ----------------------------------------------------------------------------------

// A pipeline goes on where it ended; one of its steps is run once more by itself.
Earlier earlier_of(const RunRecord& record) {
  const std::size_t slash = record.run.find('/');
  if (slash == std::string::npos) {
    return {record.folder, record.steps.empty() ? "" : record.folder, {}};
  }
  const std::string step = record.run.substr(slash + 1);
  const std::string tail = store::step_folder("", step);
  return {record.folder, record.folder.substr(0, record.folder.size() - tail.size()), step};
}

int rerun(const RunRecord& record, const RecordRequest& request, const Invocation& invocation) {
  if (std::ranges::count(record.run, '/') > 1) {
    return complain({Fault::usage,
                     record.run + " is a trial of a step, which runs as a whole",
                     typed_instead(invocation, request.runs.front(),
                                   record.run.substr(0, record.run.rfind('/'))),
                     {}});
  }
  const Earlier earlier = earlier_of(record);
  const auto asked = store::read_asked(earlier.folder.empty() ? record.folder : earlier.folder);
  if (asked) return run_again(*asked, request, earlier, invocation);
  return complain(
      {Fault::bad_file, "the record of " + record.run + " does not have its command line", {}, {}});
}

// ---- runs of other users ------------------------------------------------------------------------

bool changes_something(RecordVerb verb) {
  return verb == RecordVerb::stop || verb == RecordVerb::rerun;
}

// What is only looked at is shown with its owner.
Result<void> respect_owner(const RunRecord& record, const RecordRequest& request) {
  if (record.owner.empty() || request.foreign) return {};
  if (changes_something(request.verb)) return tl::unexpected(foreign_run(record.run, record.owner));
  note(fmt::format("{} is a run of another user ({})", record.run, record.owner));
  return {};
}

// ---- finding them -------------------------------------------------------------------------------

int act(const RunRecord& record, const RecordRequest& request, const Invocation& invocation) {
  switch (request.verb) {
    case RecordVerb::show:
      return show(record, request);
    case RecordVerb::logs:
      return print_logs(record, request, invocation);
    case RecordVerb::wait:
      return wait(record, request, invocation);
    case RecordVerb::stop:
      return stop(record, request, invocation);
    case RecordVerb::report:
      return report(record, request);
    case RecordVerb::graph:
      return graph(record, request);
    case RecordVerb::rerun:
      return rerun(record, request, invocation);
    case RecordVerb::remove:
    case RecordVerb::list:
    case RecordVerb::reindex:
    case RecordVerb::collect:
      break;
  }
  CHECK(false);
}

Result<RunRecord> find_one(const std::string& records, const std::string& word,
                           const RecordRequest& request) {
  auto record = meant_record(records, word);
  if (!record) return record;
  record->owner = store::other_owner(records, record->folder);
  if (auto respected = respect_owner(*record, request); !respected) {
    return tl::unexpected(std::move(respected.error()));
  }
  return record;
}

// All are found before anything is done to one of them, and before schedulers are asked.
Result<std::vector<RunRecord>> find_all(const std::string& records, const RecordRequest& request,
                                        const Invocation& invocation) {
  std::vector<RunRecord> found;
  found.reserve(request.runs.size());
  base::Errors wrong;
  for (const std::string& word : request.runs) {
    auto record = find_one(records, word, request);
    if (record) {
      found.push_back(std::move(*record));
    } else {
      wrong.add(std::move(record.error()));
    }
  }
  if (!wrong.empty()) return tl::unexpected(std::move(wrong).together());
  for (RunRecord& record : found) {
    if (is_scheduled(record)) record = asked_for(std::move(record), invocation);
  }
  return found;
}

}  // namespace

int records(const RecordRequest& request, const Invocation& invocation) {
  const auto folder = store::records_folder(invocation.environment);
  if (!folder) {
    return complain(
        {Fault::usage, "there is no folder for records", "set MUSTER_RECORDS, or HOME", {}});
  }
  if (!request.scheduler.kind.empty()) {
    const auto adopted = adopt(*folder, request, invocation);
    if (!adopted) return complain(adopted.error());
  }
  if (request.verb == RecordVerb::list) return list(*folder, request, invocation);
  if (request.verb == RecordVerb::reindex) return reindex(*folder, request);
  if (request.verb == RecordVerb::remove) return forget(*folder, request, invocation);
  if (request.verb == RecordVerb::collect) return collect(*folder, request, invocation);
  const auto found = find_all(*folder, request, invocation);
  if (!found) return complain(found.error());
  int code = 0;
  for (const RunRecord& record : *found) {
    const int own = act(record, request, invocation);
    if (code == 0) code = own;
  }
  return code;
}

}  // namespace muster::cli
