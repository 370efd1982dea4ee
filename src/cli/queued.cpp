// Looks at the record first, and asks the batch system where that has nothing to say.
#include "cli/queued.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <map>
#include <set>
#include <thread>
#include <unistd.h>

#include "batch/ending.hpp"
#include "batch/system.hpp"
#include "cli/logs.hpp"
#include "cli/requeued.hpp"
#include "cli/speak.hpp"
#include "cli/stop_wish.hpp"
#include "process/signal_mask.hpp"
#include "queue/commands.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/growing_file.hpp"
#include "store/lock.hpp"
#include "store/reader.hpp"
#include "store/taken_over.hpp"
#include "view/record_json.hpp"
#include "view/record_words.hpp"
#include "view/utf8.hpp"

namespace muster::cli {
namespace {

using base::Fault;
using base::Result;
using JobSight = batch::Sight;
using model::RunRecord;
using model::RunState;
using queue::Commands;
using Sights = queue::Answered<std::vector<JobSight>>;

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kRecordLook{100};  // between two looks at the record
// Between two questions to the batch system, which serves many: at first, and later.
constexpr std::chrono::milliseconds kSoon{500};
constexpr std::chrono::milliseconds kLater{10'000};

std::string file_of(const RunRecord& record, const char* name) {
  return record.folder + "/" + name;
}

Commands commands_of(const RunRecord& record, const Invocation& invocation) {
  return {*batch::system_of(record.scheduler.kind), invocation.environment};
}

RunRecord read_anew(const RunRecord& record) {
  return store::read_record(record.folder).value_or(record);
}

bool is_held(const RunRecord& record) {
  const auto events = store::open_events(record.folder);
  return events && store::holder_of(events.get()).has_value();
}

// Its head has been there.
bool has_begun(const RunRecord& record) {
  const auto events = store::read_file(file_of(record, "events.jsonl"));
  return events && !view::queued_as(*events);
}

// With all that it had to say, which whoever follows has seen.
bool has_told_end(const RunRecord& record) {
  const auto events = store::read_file(file_of(record, "events.jsonl"));
  return events && view::ending_of(*events);
}

std::string wait_words_of(const RunRecord& record, const JobSight& sight) {
  return batch::wait_words(*batch::system_of(record.scheduler.kind), sight);
}

// ---- the end ------------------------------------------------------------------------------------

// Nothing of it changes from here on.
void finish_queued(const RunRecord& record) {
  (void)store::replace_file(file_of(record, "report.txt"), "muster: " + record.cause + "\n");
  (void)store::replace_file(file_of(record, "report.json"),
                            view::record_json(record, store::utc_now()) + "\n");
}

// The batch system makes the files before the script starts. NFS looks at a folder anew when that
// is opened, and may else be half a minute late.
bool has_output(const RunRecord& record) {
  const process::UniqueFd folder(::open(record.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto is_there = [&](const char* name) {
    return ::faccessat(folder.get(), name, F_OK, 0) == 0;
  };
  return is_there(store::kJobOutput) || is_there(store::kJobErrors);
}

std::string last_words(const std::string& folder) {
  constexpr std::size_t kTextMost = std::size_t{1} << 20;
  const auto text = store::read_file(folder + "/" + store::kJobErrors, kTextMost);
  return text ? view::one_line(batch::last_words_of(*text)) : "";
}

// As the system tells it, within what else is known: its clock may differ from ours.
model::Utc end_time(const RunRecord& record, const JobSight* sight) {
  const model::Utc now = store::utc_now();
  if (sight == nullptr || !sight->ended) return now;
  return std::max(begin_of(record), std::min(*sight->ended, now));
}

// Of a job whose head has not said when it began. Likewise.
std::optional<model::Utc> start_time(const RunRecord& record, const JobSight* sight,
                                     model::Utc end) {
  if (record.started || sight == nullptr || !sight->began) return record.started;
  return std::max(begin_of(record), std::min(*sight->began, end));
}

RunRecord with_end(RunRecord record, const batch::JobEnd& end, model::Utc time) {
  record.state = end.state;
  record.exit_code = end.exit_code;
  record.code_from = end.code_from;
  record.cause = end.cause;
  record.ended = time;
  model::abandon_steps(record);
  return record;
}

// Of a job that is over: its head may just have told the end, which another host sees a little
// later.
RunRecord concluded(const RunRecord& record, const JobSight* sight) {
  constexpr int kLooks = 10;
  const bool may_come = has_begun(record) && sight != nullptr && sight->how == batch::How::exited;
  for (int i = 0; i < kLooks; ++i) {
    RunRecord now = read_anew(record);
    if (!now.is_live() || is_held(now)) return now;
    if (!may_come) break;
    if (!process::no_signal_waits()) return now;  // who asks next finds out how it has ended
    process::rest(kRecordLook);
  }
  const bool is_written = has_output(record);
  const batch::Traces traces{record.scheduler.id, has_begun(record), last_words(record.folder),
                             is_written ? "" : record.folder};
  const batch::System& system = *batch::system_of(record.scheduler.kind);
  RunRecord ended = with_end(record, batch::end_of(system, sight, traces), end_time(record, sight));
  ended.started = start_time(record, sight, *ended.ended);
  // What is unknown here may be known elsewhere: it is no end for good.
  if (sight != nullptr) {
    finish_queued(ended);
    note_job_over(ended);
  }
  return ended;
}

// Of a run whose head has told an end: that is none while its job goes on. It may have been told
// anew since it was read.
RunRecord as_queued_again(const RunRecord& record, const JobSight* sight) {
  RunRecord now = read_anew(record);
  if (!may_run_again(now)) return now;
  if (sight == nullptr || sight->stage == batch::Stage::over) {
    note_job_over(now);
    return now;
  }
  now = between_attempts(std::move(now));
  if (sight->stage == batch::Stage::running) now.state = RunState::starting;
  if (sight->stage == batch::Stage::waiting) now.cause = wait_words_of(now, *sight);
  return now;
}

RunRecord as_in_queue(RunRecord record, const JobSight* sight) {
  if (!record.is_live()) return as_queued_again(record, sight);
  if (sight == nullptr || sight->stage == batch::Stage::over) return concluded(record, sight);
  if (sight->stage == batch::Stage::waiting) {
    record.state = RunState::queued;
    record.cause = wait_words_of(record, *sight);
    return record;
  }
  // Where locks do not show, its events tell.
  record.state = record.started ? RunState::running : RunState::starting;
  record.cause.clear();
  return record;
}

const JobSight* sight_of_job(const std::vector<JobSight>& sights, const std::string& id) {
  const auto found = std::ranges::find(sights, id, &JobSight::id);
  return found == sights.end() ? nullptr : &*found;
}

// Who was to hand it over has gone without a word. Should the job be there all the same, its head
// makes a live run of this one.
RunRecord without_id(RunRecord record) {
  record.state = RunState::died;
  record.cause = "muster ended while it handed the run over";
  return record;
}

// Whoever cannot ask here believes an end that a head has told.
RunRecord unanswered(RunRecord record, const base::Error& error) {
  if (!record.is_live()) {
    if (error.fault != Fault::unreachable) return record;
    record = between_attempts(std::move(record));
  }
  record.cause = error.what;
  return record;
}

RunRecord as_answered(RunRecord record, const Sights& sights) {
  const std::string id = record.scheduler.id;
  if (id.empty()) return without_id(std::move(record));
  if (sights) return as_in_queue(std::move(record), sight_of_job(*sights, id));
  return unanswered(std::move(record), sights.error().error);
}

std::vector<std::string> ids_of(const std::vector<RunRecord*>& records) {
  std::vector<std::string> ids;
  for (const RunRecord* record : records) {
    if (!record->scheduler.id.empty()) ids.push_back(record->scheduler.id);
  }
  return ids;
}

bool is_asked_about(const RunRecord& record) {
  return record.state == RunState::queued || may_run_again(record);
}

int code_of_queued(const RunRecord& record) {
  return record.exit_code.value_or(base::exit_code(Fault::lost));
}

// A head that was told to end the run, and does not, is ended with its job.
class Insistence {
 public:
  Insistence(const RunRecord& record, const Invocation& invocation)
      : commands_(commands_of(record, invocation)), id_(record.scheduler.id) {}

  // Once, when the time is over.
  Result<void> look() {
    if (is_cancelled_ || Clock::now() < patience_) return {};
    is_cancelled_ = true;
    const auto sent = commands_.cancel(id_);
    if (sent || sent.error().is_unknown_job) return {};
    return tl::unexpected(sent.error().error);
  }

 private:
  static constexpr std::chrono::seconds kPatience{60};

  Commands commands_;
  std::string id_;
  Clock::time_point patience_ = Clock::now() + kPatience;
  bool is_cancelled_ = false;
};

// ---- following ----------------------------------------------------------------------------------

// A file that a job adds to; it may come later.
class Tail {
 public:
  explicit Tail(std::string path) : path_(std::move(path)) {}

  // A piece of what is new. True: there is more.
  template <class Write>
  bool print_new(const Write& write) {
    if (!file_) file_ = store::open_file(path_);
    if (!file_) return false;
    constexpr std::size_t kPieceMax = 1u << 20;
    grows_.read(file_.get(), kPieceMax, write);
    return grows_.has_more(file_.get());
  }
  // Reads no further than what is there now, and only its last `lines`, if given.
  void end(std::optional<std::uint32_t> lines) {
    if (!file_) file_ = store::open_file(path_);
    if (!file_) return;
    grows_.end(file_.get());
    if (lines) grows_.begin_at_last(file_.get(), *lines);
  }

 private:
  std::string path_;
  process::UniqueFd file_;
  store::GrowingFile grows_;
};

class QueueFollowing {
 public:
  QueueFollowing(RunRecord record, const Invocation& invocation)
      : record_(std::move(record)),
        invocation_(invocation),
        out_(file_of(record_, store::kJobOutput)),
        err_(file_of(record_, store::kJobErrors)) {}

  // Until its end, or a second signal. `stops`: the first one ends the run.
  RunRecord to_end(bool prints, bool stops) {
    for (;;) {
      if (!look()) break;
      const bool has_more = prints && print_new();
      if (!goes_on(stops) || code_ != 0) return record_;
      if (!has_more) process::rest(kRecordLook);
    }
    out_.end(std::nullopt);
    err_.end(std::nullopt);
    while (prints && print_new() && code_ == 0 && goes_on(false)) continue;
    return record_;
  }

  // Until its head has begun, or it has ended.
  RunRecord to_begin() {
    while (look() && !(is_held(record_) && has_begun(record_)) && goes_on(false)) {
      process::rest(kRecordLook);
    }
    return read_anew(record_);
  }

  [[nodiscard]] int code() const { return code_; }
  [[nodiscard]] bool is_stopping() const { return insists_.has_value(); }

 private:
  // Whether it goes on.
  bool look() {
    if (insists_) {
      if (const auto sent = insists_->look(); !sent) (void)complain(sent.error());
    }
    if (store::is_finished(record_.folder)) {
      record_ = read_anew(record_);
      if (!record_.is_live() && !may_run_again(record_)) return false;
    }
    if (is_held(record_)) {
      pause_ = kSoon;
      return true;
    }
    if (Clock::now() < next_) return true;
    record_ = queued_now(read_anew(record_), invocation_);
    pause_ = std::min(pause_ * 3 / 2, kLater);
    next_ = Clock::now() + pause_;
    const bool is_told = record_.state == RunState::queued && !record_.cause.empty();
    if (is_told && process::no_signal_waits()) tell(record_.cause);
    return record_.is_live();
  }

  // True: there is more.
  bool print_new() {
    const bool of_out = out_.print_new([this](std::string_view bytes) {
      if (code_ == 0) code_ = print(bytes);
    });
    return err_.print_new([](std::string_view bytes) { say(bytes); }) || of_out;
  }

  bool goes_on(bool stops) {
    const int signal = process::waiting_signal();
    if (signal == 0) return true;
    const bool is_closed = signal == SIGHUP;  // the terminal; the run is not meant
    if (!stops || insists_ || is_closed) return false;
    insists_.emplace(record_, invocation_);
    process::drop_waiting_signals();
    note("stopping the run; press Ctrl-C again to detach");
    const auto stopped = stop_queued(read_anew(record_), invocation_);
    next_ = Clock::now();
    if (stopped) return true;
    (void)complain(stopped.error());
    insists_.reset();  // nothing ends it
    return false;
  }

  // Each once.
  void tell(const std::string& line) {
    if (said_.insert(line).second) note(line);
  }

  RunRecord record_;
  const Invocation& invocation_;
  Tail out_;
  Tail err_;
  std::set<std::string> said_;
  Clock::time_point next_;
  std::chrono::milliseconds pause_ = kSoon;
  std::optional<Insistence> insists_;  // somebody wants the run to end
  int code_ = 0;
};

int print_logs(const RunRecord& record, const front::RecordRequest& request) {
  const process::SignalMask heard(SIG_UNBLOCK, {SIGINT, SIGTERM, SIGHUP});
  if (!record.streams.empty() || !record.steps.empty()) return logs(record, request);
  if (request.rank) return 0;
  if (request.since && has_output(record)) {
    note(
        fmt::format("{} does not say when its output was written; all of it is shown", record.run));
  }
  Tail err(file_of(record, store::kJobErrors));
  err.end(request.tail);
  while (err.print_new([](std::string_view bytes) { say(bytes); })) continue;
  if (request.only_errors) return 0;
  int code = 0;
  Tail out(file_of(record, store::kJobOutput));
  out.end(request.tail);
  const auto show = [&code](std::string_view bytes) {
    if (code == 0) code = print(bytes);
  };
  while (out.print_new(show) && code == 0) continue;
  return code;
}

}  // namespace

bool is_queued_run(const RunRecord& record) {
  return batch::system_of(record.scheduler.kind) != nullptr;
}

int follow_queued(const RunRecord& record, const Invocation& invocation) {
  const process::HeldSignals held;
  note(fmt::format("{} is {} job {}", record.run, batch::system_of(record.scheduler.kind)->name,
                   record.scheduler.id));
  QueueFollowing following(record, invocation);
  const RunRecord ended = following.to_end(true, true);
  if (ended.is_live()) {
    say(following.is_stopping()
            ? fmt::format("muster: {0} has not ended yet; muster wait {0} does when it has\n",
                          ended.run)
            : fmt::format("muster: {0} goes on; muster logs -f {0} shows its output\n", ended.run));
    return first_code(following.code(), 130);
  }
  if (!ended.ended_well() && !has_told_end(ended)) {
    warn(view::record_sentence(ended));
  }
  return code_of_queued(ended);
}

RunRecord queued_now(RunRecord record, const Invocation& invocation) {
  if (!is_asked_about(record)) return record;
  if (record.scheduler.id.empty()) return without_id(std::move(record));
  const Sights sights = commands_of(record, invocation).look({record.scheduler.id});
  return as_answered(std::move(record), sights);
}

void ask_queues(std::vector<RunRecord*>& records, const Invocation& invocation) {
  std::map<std::string, std::vector<RunRecord*>> by_kind;
  for (RunRecord* record : records) {
    if (is_asked_about(*record)) by_kind[record->scheduler.kind].push_back(record);
  }
  for (const auto& [kind, asked] : by_kind) {
    const Sights sights = commands_of(*asked.front(), invocation).look(ids_of(asked));
    if (!sights) {
      note(fmt::format("{}; of runs in the queue of {} only the records are known",
                       sights.error().error.what, batch::system_of(kind)->name));
    }
    for (RunRecord* record : asked) *record = as_answered(std::move(*record), sights);
  }
}

int queued_logs(const RunRecord& record, const front::RecordRequest& request,
                const Invocation& invocation) {
  const process::HeldSignals held;
  RunRecord now = read_anew(record);
  if (!request.follow) return print_logs(now, request);
  for (std::optional<RunRecord> printed;; printed = now) {
    if (printed) now = read_anew(*printed);
    if (now.is_live() || may_run_again(now)) now = QueueFollowing(now, invocation).to_begin();
    if (printed && printed->head == now.head) return 0;  // no other attempt has begun
    const int code = print_logs(now, request);
    if (code != 0 || process::waiting_signal() != 0) return code;
  }
}

RunRecord await_queued(RunRecord record, const Invocation& invocation) {
  return QueueFollowing(std::move(record), invocation).to_end(false, false);
}

// Its head is interrupted, as with Ctrl-C; a job that only waits is taken out of the queue.
Result<void> stop_queued(const RunRecord& record, const Invocation& invocation) {
  const std::string& id = record.scheduler.id;
  if (id.empty()) return {};
  const Commands commands = commands_of(record, invocation);
  const auto sights = commands.look({id});
  if (!sights) return tl::unexpected(sights.error().error);
  const JobSight* sight = sight_of_job(*sights, id);
  if (sight == nullptr || sight->stage == batch::Stage::over) return {};
  const bool has_head = sight->stage == batch::Stage::running && has_begun(record) &&
                        !store::is_finished(record.folder);
  const bool passes_on = commands.batch_system().interrupt != nullptr;
  if (has_head && !passes_on) return wish_stop(record.folder);
  const auto sent = has_head ? commands.interrupt(id) : commands.cancel(id);
  if (!sent && !sent.error().is_unknown_job) return tl::unexpected(sent.error().error);
  return {};
}

Result<RunRecord> await_stopped_queued(const RunRecord& record, const Invocation& invocation) {
  for (Insistence insists(record, invocation);;) {
    RunRecord now = queued_now(read_anew(record), invocation);
    if (!now.is_live()) return now;
    if (const auto sent = insists.look(); !sent) return tl::unexpected(sent.error());
    std::this_thread::sleep_for(2 * kRecordLook);
  }
}

void finish_unbegun(const std::string& folder, int code) {
  const process::UniqueFd turn = store::lock_file(fmt::format("{}/{}", folder, store::kJobLock));
  auto record = store::read_record(folder);
  if (!record || !record->is_live() || is_held(*record)) return;
  record->state = code == 0 ? RunState::completed : RunState::failed;
  record->exit_code = code;
  record->code_from = code == 0 ? "" : "muster";
  if (code != 0) record->cause = last_words(folder);
  record->ended = store::utc_now();
  finish_queued(*record);
}

}  // namespace muster::cli
