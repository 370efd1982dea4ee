// One loop: signals, what steps print, and the effects of the pipeline's machine.
#include "pipeline/conductor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <poll.h>
#include <set>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.hpp"
#include "machine/time_limit.hpp"
#include "pipeline/console.hpp"
#include "pipeline/step_lines.hpp"
#include "process/forked.hpp"
#include "process/shortage.hpp"
#include "store/folder.hpp"
#include "store/reader.hpp"
#include "view/report.hpp"
#include "view/signals.hpp"
#include "view/step_words.hpp"

namespace muster::pipeline {
namespace {

using machine::PipelineEffects;
using model::StepRecord;
using model::StepState;

constexpr std::array kHeardSignals = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGUSR1, SIGUSR2};
constexpr std::array<std::string_view, 6> kColours = {"\x1b[36m", "\x1b[33m", "\x1b[32m",
                                                      "\x1b[35m", "\x1b[34m", "\x1b[91m"};

std::string prefix_of(std::size_t step, const std::string& name, bool colour) {
  if (!colour) return name + ": ";
  return fmt::format("{}{}:\x1b[0m ", kColours[step % kColours.size()], name);
}

// Without muster's name before it.
std::string last_line(std::string text) {
  constexpr std::string_view kName = "muster: ";
  while (text.ends_with('\n')) text.pop_back();
  text.erase(0, text.rfind('\n') + 1);
  return text.starts_with(kName) ? text.substr(kName.size()) : text;
}

// A step that runs.
struct Live {
  std::size_t step;
  process::Forked process;
  std::array<StepLines, 2> lines;  // index: Console::Stream
};

// nohup and shells without job control mean what they say.
bool is_heard(int number) {
  struct sigaction action {};
  ::sigaction(number, nullptr, &action);
  return action.sa_handler != SIG_IGN || (number != SIGHUP && number != SIGTSTP);
}

// Blocks the signals and returns where they are read; they stay blocked.
base::Result<process::UniqueFd> signals() {
  std::signal(SIGCHLD, SIG_DFL);  // whoever ignores it is not told of children that end
  sigset_t heard;
  ::sigemptyset(&heard);
  for (const int number : kHeardSignals) {
    if (is_heard(number)) ::sigaddset(&heard, number);
  }
  ::sigprocmask(SIG_BLOCK, &heard, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  process::UniqueFd file(::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK));
  if (file) return file;
  return tl::unexpected(process::system_error("cannot read signals", errno));
}

// How the record of a step tells its end; `code` is that of its process.
StepRecord ended_as(StepRecord step, const std::string& pipeline, int code,
                    const StepLines& lines) {
  step.ended = store::utc_now();
  step.exit_code = code;
  step.state = code == 0 ? StepState::completed : StepState::failed;
  const auto record = store::read_record(store::step_folder(pipeline, step.name));
  const bool has_cause = record && !record->cause.empty();
  if (code == 0) step.cause = lines.tolerated();
  if (code != 0) step.cause = has_cause ? record->cause : view::cause_in(lines.words());
  if (!record) return step;
  if (record->state == model::RunState::stopped) step.state = StepState::stopped;
  if (code == 0 && !record->reused_from.empty()) step.state = StepState::reused;
  return step;
}

class Conductor {
 public:
  Conductor(Conducting conducting, Recorder& recorder, process::UniqueFd signals)
      : conducting_(std::move(conducting)),
        recorder_(recorder),
        signals_(std::move(signals)),
        pipeline_(conducting_.plan) {}

  Conducted go() {
    PipelineEffects effects;
    pipeline_.begin(effects);
    perform(effects);
    while (!pipeline_.is_over()) turn();
    const int code = end();
    while (!console_.is_empty() && !leaves_) turn();
    return {code, troubles()};
  }

 private:
  [[nodiscard]] const StepRecord& record_of(std::size_t step) const {
    return recorder_.record().steps[step];
  }
  [[nodiscard]] const std::string& folder() const { return recorder_.record().folder; }

  std::vector<std::string> troubles() {
    std::vector<std::string> all = {console_.sink(Console::out).trouble("stdout")};
    if (!console_.is_one()) all.push_back(console_.sink(Console::err).trouble("stderr"));
    std::erase(all, "");
    return all;
  }

  void warn(std::string_view text) {
    console_.add(Console::err, fmt::format("muster: {}\n", text));
  }

  void note(std::string_view text) {
    if (!conducting_.quiet) warn(text);
  }

  // ---- the machine's effects ----

  void perform(const PipelineEffects& effects) {
    for (const auto& effect : effects) std::visit([&](const auto& one) { on(one); }, effect);
  }

  void on(const machine::StartStep& start) {
    StepRecord step = record_of(start.step);
    if (start.attempt > 0) keep_attempt(step.name, start.attempt);
    step.state = StepState::running;
    step.started = store::utc_now();
    step.ended.reset();
    if (conducting_.overseer != nullptr) step.values = conducting_.overseer->given(start.step);
    auto process = process::fork_to_run([&] { return conducting_.run(start); });
    recorder_.run();
    recorder_.change(start.step, step);
    if (!process) return failed_.push_back({start.step, process.error().what});
    if (conducting_.overseer != nullptr) conducting_.overseer->started(start.step);
    tell_start(start);
    const std::string prefix = prefix_of(start.step, step.name, conducting_.colour);
    live_.emplace(
        start.step,
        Live{start.step, std::move(*process), {StepLines(prefix, false), StepLines(prefix)}});
  }

  void on(const machine::StopStep& stop) {
    const auto live = live_.find(stop.step);
    stopped_.insert(stop.step);
    const std::string why = why_ended();
    if (!why.empty()) note(fmt::format("ending {}, {}", record_of(stop.step).name, why));
    if (live != live_.end()) signal_step(live->second, told_);
  }

  // Of a step that the pipeline itself ends, not the user and not an overseer, which says why.
  [[nodiscard]] std::string why_ended() const {
    const auto culprit = pipeline_.culprit();
    if (interrupted_ != 0 || conducting_.overseer != nullptr || !culprit) return {};
    return fmt::format("since {} {}", record_of(*culprit).name, word(record_of(*culprit).state));
  }

  void on(const machine::StepOver& over) {
    StepRecord step = record_of(over.step);
    step.state = over.state;
    if (over.because) {
      const StepRecord& before = record_of(*over.because);
      step.cause = fmt::format("{} {}", before.name, word(before.state));
    }
    recorder_.change(over.step, std::move(step));
    if (conducting_.overseer != nullptr) conducting_.overseer->ended(over.step, false);
  }

  void on(const machine::PipelineOver&) {}

  // The record of an attempt that failed stays beside that of the next.
  void keep_attempt(const std::string& name, std::uint32_t attempt) {
    const std::string own = store::step_folder(folder(), name);
    const std::string kept = fmt::format("{}@{}", own, attempt);
    if (std::rename(own.c_str(), kept.c_str()) != 0 && errno != ENOENT) {
      warn(fmt::format("cannot keep the record of attempt {} of {}", attempt, name));
    }
  }

  void tell_start(const machine::StartStep& start) {
    if (conducting_.takes_over(start.step)) return;
    std::string hosts;
    for (const machine::HostShare& share : start.hosts) {
      hosts += (hosts.empty() ? " on " : ", ") + conducting_.hosts[share.host];
    }
    const std::string again =
        start.attempt > 0 ? fmt::format(", attempt {}", start.attempt + 1) : "";
    note(fmt::format("{} starts{}{}", record_of(start.step).name, hosts, again));
  }

  static void signal_step(const Live& live, int number) {
    ::kill(live.process.pid, number);
    const bool ends = number == SIGINT || number == SIGTERM;
    if (ends) ::kill(live.process.pid, SIGCONT);  // it may be suspended
  }

  // ---- one turn of the loop ----

  void turn() {
    if (!failed_.empty()) return give_up_first();
    files_.clear();
    watched_.clear();
    watch(signals_.get(), POLLIN, {});
    for (const Console::Stream stream : {Console::out, Console::err}) {
      Sink& sink = console_.sink(stream);
      const bool again = stream == Console::err && console_.is_one();
      if (sink.waiting() > 0 && !again) watch(sink.file(), POLLOUT, {0, stream, false});
    }
    if (!console_.is_full() || interrupted_ != 0) {
      for (auto& [step, live] : live_) watch_step(step, live);
    }
    const int most =
        conducting_.overseer == nullptr ? -1 : conducting_.overseer->patience().value_or(-1);
    if (::poll(files_.data(), files_.size(), most) < 0) return;  // EINTR: no signal of ours
    act_on_files();
    obey();
    settle_what_is_read();
  }

  // What the overseer wants.
  void obey() {
    if (conducting_.overseer == nullptr) return;
    const Orders orders = conducting_.overseer->look();
    for (const std::string& line : orders.say) note(line);
    for (const std::size_t step : orders.stop) on(machine::StopStep{step});
    if (!orders.end_all) return;
    PipelineEffects effects;
    pipeline_.interrupt(effects);
    perform(effects);
  }

  struct Source {
    std::size_t step = 0;
    Console::Stream stream = Console::out;
    bool is_step = false;
  };

  void watch(int file, short events, Source source) {
    files_.push_back({file, events, 0});
    watched_.push_back(source);
  }

  void watch_step(std::size_t step, const Live& live) {
    if (live.process.out) watch(live.process.out.get(), POLLIN, {step, Console::out, true});
    if (live.process.err) watch(live.process.err.get(), POLLIN, {step, Console::err, true});
  }

  // Signals last: a step that has ended is then no longer looked for.
  void act_on_files() {
    for (std::size_t i = 1; i < files_.size(); ++i) {
      if (files_[i].revents == 0) continue;
      if (watched_[i].is_step) {
        read_step(live_.at(watched_[i].step), watched_[i].stream);
      } else {
        write(watched_[i].stream);
      }
    }
    if (files_.front().revents != 0) hear_signals();
  }

  // Nobody reads the output any more: the pipeline ends, as a job does.
  void write(Console::Stream stream) {
    Sink& sink = console_.sink(stream);
    sink.write();
    if (stream == Console::out && sink.is_closed() && !pipeline_.is_over()) interrupt(SIGPIPE);
  }

  void read_step(Live& live, Console::Stream stream) {
    process::UniqueFd& file = stream == Console::out ? live.process.out : live.process.err;
    std::array<char, 65536> bytes;
    const ssize_t got = file ? ::read(file.get(), bytes.data(), bytes.size()) : 0;
    if (got > 0) {
      const std::string_view text(bytes.data(), static_cast<std::size_t>(got));
      if (conducting_.overseer != nullptr) {
        const bool is_out = stream == Console::out;
        conducting_.overseer->printed(live.step, is_out ? model::Stream::out : model::Stream::err,
                                      text);
      }
      show(stream, live.lines[stream].feed(text));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      file.reset();
    }
  }

  // While the pipeline ends, no step waits for a console that takes nothing: its record has all.
  void show(Console::Stream stream, const std::string& lines) {
    if (interrupted_ == 0 || !console_.is_full()) console_.add(stream, lines);
  }

  // ---- signals ----

  void hear_signals() {
    signalfd_siginfo heard{};
    while (::read(signals_.get(), &heard, sizeof heard) == sizeof heard) {
      hear_signal(static_cast<int>(heard.ssi_signo));
    }
  }

  void hear_signal(int number) {
    switch (number) {
      case SIGCHLD:
        return reap();
      case SIGTSTP:
        return suspend();
      case SIGUSR1:
      case SIGUSR2:
        for (const auto& [step, live] : live_) signal_step(live, number);
        return;
      default:
        return interrupt(number);
    }
  }

  // Once all is over only the console is waited for, and whoever interrupts does not want to.
  void interrupt(int number) {
    leaves_ = pipeline_.is_over();
    if (leaves_) return;
    if (interrupted_ == 0 && number != SIGPIPE && conducting_.tells_interruption) {
      const bool one = live_.size() == 1;
      note(fmt::format("received {}; ending {} step{}; the same signal again kills {} at once",
                       view::signal_facts(number).name, live_.size(), one ? "" : "s",
                       one ? "it" : "them"));
    }
    if (interrupted_ == 0) interrupted_ = number;
    told_ = number == SIGTERM || number == SIGHUP ? SIGTERM : SIGINT;
    if (conducting_.overseer != nullptr) conducting_.overseer->interrupted();
    PipelineEffects effects;
    pipeline_.interrupt(effects);
    perform(effects);
  }

  void suspend() {
    for (const auto& [step, live] : live_) signal_step(live, SIGTSTP);
    ::raise(SIGSTOP);
    for (const auto& [step, live] : live_) signal_step(live, SIGCONT);
  }

  void reap() {
    std::vector<std::pair<std::size_t, int>> ended;
    for (auto& [step, live] : live_) {
      int status = 0;
      const pid_t waited = ::waitpid(live.process.pid, &status, WNOHANG);
      if (waited == live.process.pid) ended.emplace_back(step, process::exit_code_of(status));
      if (waited < 0 && errno == ECHILD) ended.emplace_back(step, EXIT_FAILURE);
    }
    for (const auto& [step, code] : ended) finish_step(step, code);
  }

  // ---- the end of a step ----

  // What it printed is in the pipes; something that it left may still hold them.
  void drain(Live& live, Console::Stream stream) {
    process::UniqueFd& file = stream == Console::out ? live.process.out : live.process.err;
    constexpr int kPipes = 32;  // reads; more than a pipe holds
    for (int i = 0; file && i < kPipes; ++i) {
      read_step(live, stream);
      if (errno == EAGAIN) break;
    }
    show(stream, live.lines[stream].finish());
  }

  void finish_step(std::size_t step, int code) {
    Live live = std::move(live_.extract(step).mapped());
    for (const Console::Stream stream : {Console::out, Console::err}) {
      errno = 0;
      drain(live, stream);
    }
    StepRecord now = ended_as(record_of(step), folder(), code, live.lines[Console::err]);
    const bool told = stopped_.contains(step) && code > 128;
    if (now.state == StepState::failed && told) now.state = StepState::stopped;
    const std::string why = told ? why_ended() : "";
    if (!why.empty()) now.cause = "ended, " + why;
    if (live.lines[Console::err].has_told(now.cause)) said_[step] = now.cause;
    if (conducting_.overseer == nullptr) return settle(step, std::move(now));
    conducting_.overseer->left(step);
    left_.emplace(step, std::move(now));
  }

  // However much a step has left for the overseer to read, signals are heard meanwhile.
  void settle_what_is_read() {
    for (auto one = left_.begin(); one != left_.end();) {
      const auto next = std::next(one);
      if (conducting_.overseer->is_read(one->first)) {
        auto read = left_.extract(one);
        settle(read.key(), std::move(read.mapped()));
      }
      one = next;
    }
  }

  void settle(std::size_t step, StepRecord now) {
    machine::StepEnd end{now.state, {}};
    if (model::is_done(now.state)) {
      auto says = conducting_.says(step);
      if (says) {
        end.says = std::move(*says);
      } else {
        end.state = now.state = StepState::failed;
        now.cause = says.error().what;
      }
    }
    if (conducting_.overseer != nullptr) judge(step, now);
    note(view::step_sentence(for_console(step, now), *now.ended));
    recorder_.change(step, std::move(now));
    PipelineEffects effects;
    pipeline_.ended(step, end, effects);
    perform(effects);
  }

  void judge(std::size_t step, StepRecord& now) {
    conducting_.overseer->ended(step, model::is_done(now.state));
    const std::string said = conducting_.overseer->note(step);
    if (!said.empty()) now.cause = said;
    obey();
  }

  // Its process could not be started.
  void give_up_first() {
    const auto [step, why] = failed_.back();
    failed_.pop_back();
    StepRecord now = record_of(step);
    now.state = StepState::failed;
    now.ended = store::utc_now();
    now.exit_code = base::exit_code(base::Fault::cannot_start);
    now.cause = why;
    settle(step, std::move(now));
  }

  // Without a cause that its own lines have just told.
  [[nodiscard]] StepRecord for_console(std::size_t step, StepRecord record) const {
    const auto said = said_.find(step);
    if (said != said_.end() && said->second == record.cause) record.cause.clear();
    return record;
  }

  // ---- the end of the pipeline ----

  [[nodiscard]] model::RunRecord whole_for_console() const {
    model::RunRecord whole = recorder_.record();
    const bool is_of_step = whole.cause == view::pipeline_cause(whole);
    for (const auto& [step, cause] : said_) {
      whole.steps[step] = for_console(step, std::move(whole.steps[step]));
    }
    if (is_of_step) whole.cause = view::pipeline_cause(whole);
    return whole;
  }

  [[nodiscard]] bool all_left_out() const {
    return std::ranges::all_of(recorder_.record().steps, [](const StepRecord& step) {
      return step.state == StepState::left_out;
    });
  }

  // The batch job around has reached its time limit, as its steps knew.
  [[nodiscard]] bool is_batch_job_over() const {
    return interrupted_ == SIGTERM &&
           std::ranges::count(recorder_.record().steps, machine::kBatchJobOver,
                              &StepRecord::cause) > 0;
  }

  int end() {
    const auto culprit = pipeline_.culprit();
    const auto judged = conducting_.overseer == nullptr
                            ? std::nullopt
                            : std::optional(conducting_.overseer->conclude());
    const auto& steps = recorder_.record().steps;
    const bool all_done = std::ranges::all_of(steps, [](const StepRecord& step) {
      return model::is_done(step.state) || step.state == StepState::left_out;
    });
    recorder_.set_outputs(conducting_.outputs(steps));
    if (judged) recorder_.set_best(judged->best);
    if (is_batch_job_over()) {
      recorder_.end(model::RunState::failed, base::exit_code(base::Fault::timeout),
                    model::CodeFrom::muster);
    } else if (interrupted_ != 0 && !all_done) {
      recorder_.end(model::RunState::stopped, 128 + interrupted_, model::CodeFrom::signal);
    } else if (judged && judged->signal != 0) {
      recorder_.end(model::RunState::stopped, 128 + judged->signal, model::CodeFrom::signal);
    } else if (judged) {
      const bool well = judged->state == model::RunState::completed;
      recorder_.end(judged->state, judged->code, model::CodeFrom::nobody,
                    well ? "" : last_line(judged->words), judged->words);
    } else if (culprit) {
      const int code = record_of(*culprit).exit_code.value_or(1);
      recorder_.end(model::RunState::failed, code == 0 ? 1 : code, model::CodeFrom::rank);
    } else {
      recorder_.end(model::RunState::completed, 0, model::CodeFrom::nobody);
    }
    if (all_left_out()) note("nothing ran: every step was left out");
    console_.add(Console::err, judged ? judged->words : view::pipeline_report(whole_for_console()));
    return *recorder_.record().exit_code;
  }

  Conducting conducting_;
  Recorder& recorder_;
  process::UniqueFd signals_;
  machine::Pipeline pipeline_;
  Console console_;
  std::map<std::size_t, Live> live_;
  std::map<std::size_t, StepRecord> left_;  // steps that have ended, of which there is more to read
  std::vector<std::pair<std::size_t, std::string>> failed_;  // could not be started, and why
  std::vector<pollfd> files_;
  std::vector<Source> watched_;              // index: that of files_
  std::set<std::size_t> stopped_;            // steps that were told to end
  std::map<std::size_t, std::string> said_;  // causes that failed steps have told themselves
  int interrupted_ = 0;                      // the first signal that ended the pipeline
  // What steps are told to end with. Whoever ends a batch job signals them, too: SIGTERM from here
  // is to them the same wish, while SIGINT would be a second one.
  int told_ = SIGINT;
  bool leaves_ = false;  // without waiting for the console
};

}  // namespace

base::Result<Conducted> conduct(Conducting conducting, Recorder& recorder) {
  CHECK(conducting.plan.steps.size() == recorder.record().steps.size());
  auto heard = signals();
  if (!heard) return tl::unexpected(heard.error());
  return Conductor(std::move(conducting), recorder, std::move(*heard)).go();
}

}  // namespace muster::pipeline
