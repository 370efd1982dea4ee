// Asks the scheduler, follows the launcher's output, and finishes records.
#include "cli/scheduled.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <map>
#include <set>
#include <thread>

#include "cli/end_file.hpp"
#include "cli/launcher_log.hpp"
#include "cli/local_time.hpp"
#include "cli/operated.hpp"
#include "cli/queued.hpp"
#include "cli/requeued.hpp"
#include "cli/saved_output.hpp"
#include "cli/speak.hpp"
#include "cluster/listing.hpp"
#include "cluster/operated.hpp"
#include "cluster/removal.hpp"
#include "cluster/sight.hpp"
#include "process/signal_mask.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/reader.hpp"
#include "view/record_json.hpp"
#include "view/record_words.hpp"

namespace muster::cli {
namespace {

using base::Fault;
using base::Result;
using cluster::Answered;
using cluster::Kubectl;
using cluster::Sight;
using model::RunRecord;
using model::RunState;

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPause{1};
constexpr std::chrono::seconds kSilence{15};  // of a launcher that is followed

// ---- the end ------------------------------------------------------------------------------------

std::string why_it_ended(const Sight& sight) {
  const cluster::LauncherEnd& end = *sight.end;
  const std::string where = sight.node.empty() ? "" : " on " + sight.node;
  const std::string last = last_line(end.message);
  if (last.empty()) {
    return fmt::format("the launcher (pod {}{}) ended with exit code {}{}", sight.launcher, where,
                       end.code, end.reason.empty() ? "" : ": " + end.reason);
  }
  constexpr std::string_view kOurs = "muster: ";
  if (last.starts_with(kOurs)) return last.substr(kOurs.size());
  return fmt::format("the launcher (pod {}{}): {}{}", sight.launcher, where,
                     end.reason.empty() ? "" : end.reason + ": ", last);
}

// What ended the launcher's pod as a whole.
std::string ended_by_cluster(const Sight& sight) {
  for (const kubernetes::Cause& cause : sight.state.causes) {
    if (cause.pod == sight.launcher && kubernetes::ends_pods(cause.kind)) return cause.what;
  }
  return {};
}

void take_end(const Sight& sight, RunRecord& record, std::string& report) {
  record.ended = sight.end->time.value_or(store::utc_now());
  if (auto told = read_end_text(sight.end->message)) {
    record.state = told->ending.state;
    record.exit_code = told->ending.exit_code;
    record.code_from = told->ending.code_from;
    record.cause = told->ending.cause;
    record.ended = told->ending.time;
    report = told->report;
    return;
  }
  record.exit_code = sight.end->code;
  record.state = sight.end->code == 0 ? RunState::completed : RunState::failed;
  record.code_from = sight.end->code == 0 ? "" : "muster";
  const bool is_evicted = !ended_by_cluster(sight).empty();
  if (record.state == RunState::failed && !is_evicted) record.cause = why_it_ended(sight);
}

// A rank that was killed, or a host that was lost, may be what the cluster did.
bool may_be_the_cluster(const RunRecord& record) {
  constexpr int kSignals = 128;
  return record.code_from == "muster" || record.exit_code.value_or(0) > kSignals;
}

// A node tells some seconds later how a pod has ended; one that is lost never does.
std::vector<std::string> what_the_cluster_did(const Kubectl& kubectl, const RunRecord& record) {
  constexpr int kLooks = 15;
  std::vector<std::string> lines;
  for (int look = 0; look < kLooks; ++look) {
    const auto sight = cluster::look_closely(kubectl, record.scheduler.id);
    if (!sight) break;
    lines = cluster::endings(sight->state, record.cause);
    if (cluster::is_settled(sight->state) || !process::no_signal_waits()) break;
    process::rest(kPause);
  }
  return lines;
}

void add_cause(const std::vector<std::string>& lines, RunRecord& record, std::string& report) {
  constexpr std::size_t kInCause = 2;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    report += fmt::format("muster: {}\n", lines[i]);
    if (i < kInCause) record.cause += (record.cause.empty() ? "" : "; ") + lines[i];
  }
  if (lines.size() > kInCause)
    record.cause += fmt::format("; and {} more", lines.size() - kInCause);
}

// Nothing of it changes from here on.
void finish(const RunRecord& record, const std::string& report) {
  if (!report.empty()) (void)store::replace_file(record.folder + "/report.txt", report);
  (void)store::replace_file(record.folder + "/report.json",
                            view::record_json(record, store::utc_now()) + "\n");
}

// With the times of its lines. Not beyond a signal.
void save_log(const Kubectl& kubectl, const RunRecord& record, const std::string& launcher) {
  save_timed_output(record.folder, [&](const auto& write) {
    const auto done = kubectl.stream(
        {"logs", launcher, "--container=launcher", "--timestamps"},
        [&](std::string_view piece) { return write(piece) && process::no_signal_waits(); });
    return done && process::no_signal_waits();
  });
}

RunRecord died(RunRecord record, const std::string& cause) {
  record.state = RunState::died;
  record.cause = cause;
  record.ended = store::utc_now();
  finish(record, "");
  return record;
}

std::string why_it_died(const RunRecord& record, const Sight& sight, const Kubectl& kubectl) {
  if (!sight.is_there) {
    return fmt::format("its pods are not in the cluster any more ({})", record.scheduler.id);
  }
  const auto close = cluster::look_closely(kubectl, record.scheduler.id).value_or(sight);
  for (const kubernetes::Cause& cause : close.state.causes) {
    if (cause.role == "launcher" && kubernetes::ends_pods(cause.kind)) return cause.what;
  }
  const auto lines = cluster::endings(close.state, sight.launcher);
  return lines.empty() ? "its launcher's pod is not in the cluster any more" : lines.front();
}

RunRecord as_seen(RunRecord record, const Sight& sight, const Kubectl& kubectl) {
  if (!sight.is_there || sight.is_lost) {
    const std::string why = why_it_died(record, sight, kubectl);
    return died(std::move(record), why);
  }
  if (sight.began) record.started = sight.began;
  if (!sight.end) {
    record.state = sight.has_begun ? RunState::running : RunState::queued;
    record.cause = sight.waits.empty() ? "" : sight.waits.front();
    return record;
  }
  std::string report;
  RunRecord ended = record;
  take_end(sight, ended, report);
  if (ended.state == RunState::failed && may_be_the_cluster(ended)) {
    add_cause(what_the_cluster_did(kubectl, ended), ended, report);
  }
  save_log(kubectl, ended, sight.launcher);
  if (process::waiting_signal() != 0) return record;  // who asks next finishes it
  finish(ended, report);
  return ended;
}

// ---- following ----------------------------------------------------------------------------------

// Words for kubectl logs: where to begin.
using LogBegin = std::vector<std::string>;

LogBegin begin_of(const front::RecordRequest& request) {
  LogBegin words;
  if (const auto since = since_of(request)) {
    words.push_back("--since-time=" + view::utc_text(*since));
  }
  if (request.tail) words.push_back(fmt::format("--tail={}", *request.tail));
  return words;
}

class Following {
 public:
  Following(RunRecord record, const Invocation& invocation, LauncherLog log, LogBegin begin = {})
      : record_(std::move(record)),
        kubectl_(kubectl_of(record_, invocation.environment)),
        invocation_(invocation),
        log_(std::move(log)),
        begin_(std::move(begin)) {}

  // What the launcher prints, until it has ended, or somebody wants this one to end. `stops`: that
  // ends the run, too.
  RunRecord follow(bool stops) {
    stops_ = stops;
    for (;;) {
      const auto sight = cluster::look(kubectl_, record_.scheduler.id);
      if (!sight && process::no_signal_waits()) tell(sight.error().error.what);
      if (sight) tell_waits(*sight);
      const bool is_over = sight && has_ended(*sight);
      const bool has_log = sight && !sight->launcher.empty() && !sight->is_lost;
      if (has_log) print_log(sight->launcher, !is_over);
      if (is_over) break;
      if (!goes_on()) return record_;
      process::rest(kPause);
    }
    log_.finish();
    return asked_for(record_, invocation_);
  }

 private:
  static bool has_ended(const Sight& sight) {
    return sight.end || !sight.is_there || sight.is_lost;
  }

  void print_log(const std::string& launcher, bool follows) {
    std::vector<std::string> words = {"logs", launcher, "--container=launcher", "--timestamps"};
    if (follows) words.emplace_back("--follow");
    if (log_.last_time().empty()) {
      words.insert(words.end(), begin_.begin(), begin_.end());
    } else {
      words.push_back("--since-time=" + log_.last_time());
    }
    look_at_ = Clock::now() + kSilence;
    (void)kubectl_.follow(
        words,
        [this](std::string_view bytes) {
          log_.take(bytes);
          look_at_ = Clock::now() + kSilence;
        },
        [this] { return goes_on() && goes_on_there(); });
    log_.cut();
  }

  // A connection to a node that is gone says nothing, and does not end.
  bool goes_on_there() {
    if (Clock::now() < look_at_) return true;
    const auto sight = cluster::look(kubectl_, record_.scheduler.id);
    look_at_ = Clock::now() + kSilence;
    return !sight || !has_ended(*sight);
  }

  // One signal stops the run, whose end we then wait for; another one ends us.
  bool goes_on() {
    const int signal = process::waiting_signal();
    if (signal == 0) return log_.code() == 0;
    const bool is_closed = signal == SIGHUP;  // the terminal; the run is not meant
    if (!stops_ || is_stopping_ || is_closed) return false;
    is_stopping_ = true;
    process::drop_waiting_signals();
    note("stopping the run; press Ctrl-C again to detach");
    if (const auto stopped = stop_scheduled(record_, invocation_); !stopped) {
      (void)complain(stopped.error());
      return false;
    }
    return log_.code() == 0;
  }

  void tell_waits(const Sight& sight) {
    for (const std::string& wait : sight.waits) {
      tell(sight.has_begun ? wait : wait_line(record_, wait));
    }
  }

  // Each once.
  void tell(const std::string& line) {
    if (said_.insert(line).second) note(line);
  }

  RunRecord record_;
  Kubectl kubectl_;
  const Invocation& invocation_;
  LauncherLog log_;
  LogBegin begin_;
  std::set<std::string> said_;
  Clock::time_point look_at_;
  bool stops_ = false;
  bool is_stopping_ = false;
};

// Pods of the run that have not come so far, as an error.
Result<void> await_pods(const RunRecord& record, const Kubectl& kubectl, cluster::Until until) {
  const auto stay = cluster::await_pods(kubectl, cluster::name_in(record.scheduler.id), until,
                                        [](const std::string& line) { note(line); });
  if (!stay) return tl::unexpected(stay.error().error);
  if (stay->empty()) return {};
  return base::fail(Fault::unreachable, cluster::kStayingHint, "{}{}", stay->front(),
                    stay->size() == 1 ? "" : fmt::format("; and {} more", stay->size() - 1));
}

// From which byte on the saved log is meant. 0 while kubectl can be asked; nothing where it is not
// known.
std::optional<std::uint64_t> begin_of_saved(const RunRecord& record,
                                            const front::RecordRequest& request) {
  const auto since = since_of(request);
  if (!since || record.is_live()) return 0;
  return saved_since(record.folder, *since);
}

int lacks_times(const RunRecord& record) {
  return complain({Fault::usage,
                   "when the output of " + record.run + " was written is not known here",
                   "use --tail N for its last lines",
                   {}});
}

int exit_code_of(const RunRecord& record) {
  return record.exit_code.value_or(base::exit_code(Fault::lost));
}

}  // namespace

bool is_open_at_scheduler(const RunRecord& record) {
  return (record.is_live() && is_scheduled(record)) || may_run_again(record);
}

Kubectl kubectl_of(const RunRecord& record, const std::vector<std::string>& environment) {
  return {{record.scheduler.context, record.scheduler.space}, environment};
}

std::string wait_line(const RunRecord& record, const std::string& wait) {
  if (!record.created) return wait;
  constexpr std::size_t kMinutes = 16;
  std::string since = view::utc_text(*record.created).substr(0, kMinutes);
  std::ranges::replace(since, 'T', ' ');
  return fmt::format("{} (waiting since {} UTC)", wait, since);
}

RunRecord asked_for(RunRecord record, const Invocation& invocation) {
  if (is_queued_run(record)) return queued_now(std::move(record), invocation);
  if (!record.is_live() || record.state == RunState::starting) return record;
  if (store::is_finished(record.folder)) {  // since it was read: stopped from here
    if (auto known = store::read_record(record.folder)) return *std::move(known);
  }
  if (is_operated(record)) return operated_now(std::move(record), invocation);
  const Kubectl kubectl = kubectl_of(record, invocation.environment);
  const auto sight = cluster::look(kubectl, record.scheduler.id);
  if (sight) return as_seen(std::move(record), *sight, kubectl);
  record.cause = sight.error().error.what;
  return record;
}

void ask_for_all(std::vector<RunRecord>& records, const Invocation& invocation) {
  std::map<std::pair<std::string, std::string>, Answered<kubernetes::Value>> asked;
  std::vector<RunRecord*> queued;
  for (RunRecord& record : records) {
    if (is_queued_run(record)) {
      queued.push_back(&record);
      continue;
    }
    if (is_operated(record)) {
      record = operated_now(std::move(record), invocation);
      continue;
    }
    const model::Scheduler& on = record.scheduler;
    const Kubectl kubectl = kubectl_of(record, invocation.environment);
    const auto key = std::pair(on.context, on.space);
    if (!asked.contains(key)) {
      asked.emplace(key, cluster::list_objects(kubectl, cluster::selector_of("")));
    }
    const auto& listed = asked.at(key);
    if (listed) {
      record = as_seen(std::move(record), cluster::sight_of(*listed, on.id), kubectl);
    } else {
      record.cause = listed.error().error.what;
    }
  }
  ask_queues(queued, invocation);
}

int accompany(const RunRecord& record, bool tags, const Invocation& invocation) {
  const process::HeldSignals held;
  RunRecord submitted = record;
  submitted.state = RunState::queued;  // for us it was starting until here
  Following following(submitted, invocation, LauncherLog({.tags = tags, .both = true}));
  const RunRecord ended = following.follow(true);
  if (ended.is_live()) {
    note(fmt::format("{} goes on; muster logs -f {} shows its output", ended.run, ended.run));
    return 130;
  }
  if (!ended.ended_well()) warn(view::record_sentence(ended));
  return exit_code_of(ended);
}

int scheduled_logs(const RunRecord& record, const front::RecordRequest& request,
                   const Invocation& invocation) {
  if (is_queued_run(record)) return queued_logs(record, request, invocation);
  const auto begin = begin_of_saved(record, request);
  if (!begin) return lacks_times(record);
  if (is_operated(record)) return operated_logs(record, request, invocation);
  LauncherLog log(
      {.tags = record.ranks != 1 && !request.rank, .rank = request.rank, .json = request.json});
  if (!record.is_live()) {
    const auto take_lines = [&](std::string_view lines) {
      log.take_plain(lines);
      return log.code() == 0;
    };
    if (!read_saved(saved_log(record.folder), {*begin, request.tail}, take_lines)) {
      return complain(
          {Fault::usage, "the output of " + record.run + " has not been fetched in time", {}, {}});
    }
    log.finish();
    return log.code();
  }
  if (request.follow) {
    (void)Following(record, invocation, std::move(log), begin_of(request)).follow(false);
    return 0;
  }
  const Kubectl kubectl = kubectl_of(record, invocation.environment);
  const auto sight = cluster::look(kubectl, record.scheduler.id);
  if (!sight) return complain(sight.error().error);
  if (sight->launcher.empty()) return 0;
  std::vector<std::string> words = {"logs", sight->launcher, "--container=launcher",
                                    "--timestamps"};
  for (std::string& word : begin_of(request)) words.push_back(std::move(word));
  const auto told = kubectl.stream(words, [&](std::string_view bytes) {
    log.take(bytes);
    return log.code() == 0;
  });
  log.finish();
  return told ? log.code() : complain(told.error().error);
}

RunRecord await_end(RunRecord record, const Invocation& invocation) {
  if (is_queued_run(record)) return await_queued(std::move(record), invocation);
  for (record = asked_for(std::move(record), invocation); record.is_live();
       record = asked_for(std::move(record), invocation)) {
    std::this_thread::sleep_for(kPause);
  }
  return record;
}

// SIGINT to the launcher, as Ctrl-C would; who may not do that deletes its pods, which are sent
// SIGTERM.
Result<void> stop_scheduled(const RunRecord& record, const Invocation& invocation) {
  if (is_queued_run(record)) return stop_queued(record, invocation);
  if (is_operated(record)) return stop_operated(record, invocation);
  const Kubectl kubectl = kubectl_of(record, invocation.environment);
  const auto sight = cluster::look(kubectl, record.scheduler.id);
  if (!sight) return tl::unexpected(sight.error().error);
  if (sight->launcher.empty() || sight->end) return {};
  const auto sent = kubectl.order(
      {"exec", sight->launcher, "--container=launcher", "--", "sh", "-c", "kill -INT 1"});
  if (sent) return {};
  if (sent.error().kind != cluster::Refusal::unreachable) {
    save_log(kubectl, record, sight->launcher);
  }
  const auto deleted = cluster::delete_pods(kubectl, record.scheduler.id);
  if (!deleted) return tl::unexpected(deleted.error().error);
  RunRecord stopped = record;
  stopped.state = RunState::stopped;
  stopped.exit_code = 128 + SIGTERM;
  stopped.code_from = "signal";
  stopped.cause = "stopped by SIGTERM";
  stopped.ended = store::utc_now();
  finish(stopped, "");
  return {};
}

Result<RunRecord> await_stopped(const RunRecord& record, const Invocation& invocation) {
  if (is_queued_run(record)) return await_stopped_queued(record, invocation);
  const Kubectl kubectl = kubectl_of(record, invocation.environment);
  RunRecord now = store::read_record(record.folder).value_or(record);
  if (now.is_live()) now = await_end(std::move(now), invocation);
  return await_pods(record, kubectl, cluster::Until::ended).map([&] { return now; });
}

Result<void> remove_scheduled(const RunRecord& record, const Invocation& invocation) {
  if (is_queued_run(record)) return {};  // all that is left of it lies in the record
  if (is_operated(record)) return remove_operated(record, invocation);
  const Kubectl kubectl = kubectl_of(record, invocation.environment);
  const auto deleted = cluster::delete_objects(kubectl, record.scheduler.id);
  if (deleted) return await_pods(record, kubectl, cluster::Until::gone);
  base::Error error = deleted.error().error;
  error.what = fmt::format("{} stays in the cluster: {}", record.scheduler.id, error.what);
  return tl::unexpected(std::move(error));
}

}  // namespace muster::cli
