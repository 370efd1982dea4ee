// Reads metrics while trials run, a few times each second.
#include "pipeline/sweep_overseer.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "base/byte_size.hpp"
#include "process/signal_mask.hpp"
#include "view/sweep_words.hpp"

namespace muster::pipeline {
namespace {

constexpr base::Duration kLookEvery = std::chrono::milliseconds(250);
// While trials report more than one look reads.
constexpr base::Duration kLookSoon = std::chrono::milliseconds(20);

base::Instant steady_now() {
  return base::Instant(std::chrono::steady_clock::now().time_since_epoch());
}

constexpr int kNoResult = 1;

}  // namespace

SweepOverseer::SweepOverseer(SweepPlan plan)
    : plan_(std::move(plan)), trials_(plan_.settings, plan_.begun) {
  sweep::SweepEffects effects;
  trials_.begin(steady_now(), effects);
  take(effects);
}

std::vector<sweep::Assignment> SweepOverseer::values(std::size_t trial) const {
  return sweep::assignments(plan_.settings.space, trials_.trials()[trial].point);
}

void SweepOverseer::started(std::size_t step) {
  live_.emplace(step, Live{store::MetricFiles(plan_.metrics(step), plan_.metric),
                           store::RankLines(plan_.streams(step)),
                           {},
                           store::RanksStarted(plan_.record(step))});
}

// Of a trial with so many ranks that their output is not kept.
void SweepOverseer::printed(std::size_t step, model::Stream stream, std::string_view bytes) {
  const auto live = live_.find(step);
  if (!plan_.from_output || live == live_.end() || live->second.lines.is_there()) return;
  sweep::SweepEffects effects;
  sweep::GrowingLines& lines = live->second.console[stream == model::Stream::out ? 0 : 1];
  for (const std::string& line : lines.feed(bytes)) {
    report_line(step, line, 0, effects);
  }
  take(effects);
}

void SweepOverseer::left(std::size_t step) {
  const auto live = live_.find(step);
  if (live == live_.end()) return;
  printed(step, model::Stream::out, "\n");  // its last line may have no end
  printed(step, model::Stream::err, "\n");
  live->second.has_left = true;
  live->second.files.end();
  live->second.lines.end();
  store::Allowance left;  // for nearly all that there are
  read_reports(step, live->second, left);
  next_look_ = {};
}

bool SweepOverseer::is_read(std::size_t step) const {
  const auto live = live_.find(step);
  return live == live_.end() || is_interrupted_ || !has_more(live->second);
}

void SweepOverseer::ended(std::size_t step, bool well) {
  if (const auto live = live_.find(step); live != live_.end()) {
    tell_skipped(step, live->second);
    live_.erase(live);
  }
  if (step >= trials_.trials().size()) return;  // it was not its turn yet
  if (trials_.trials()[step].state == sweep::TrialState::left_out) return;
  sweep::SweepEffects effects;
  trials_.ended(step, well, effects);
  take(effects);
}

void SweepOverseer::interrupted() {
  sweep::SweepEffects effects;
  trials_.interrupt(effects);
  told_end_ = true;  // the conductor knows
  is_interrupted_ = true;
}

// Whatever wakes the conductor, files are looked at every so often only.
Orders SweepOverseer::look() {
  const base::Instant now = steady_now();
  if (now >= next_look_) {
    read_all();
    next_look_ = now + pause();
  }
  sweep::SweepEffects effects;
  if (!trials_.is_over()) trials_.pass(now, effects);
  take(effects);
  return std::exchange(orders_, {});
}

// Trials that have ended are waited for.
base::Duration SweepOverseer::pause() const {
  base::Duration pause = kLookEvery;
  for (const auto& [trial, live] : live_) {
    if (!has_more(live)) continue;
    if (live.has_left) return base::Duration(0);
    pause = kLookSoon;
  }
  return pause;
}

std::optional<int> SweepOverseer::patience() const {
  if (live_.empty()) return std::nullopt;
  const auto until = std::chrono::ceil<base::Duration>(next_look_ - steady_now());
  return static_cast<int>(std::clamp<base::Duration>(until, base::Duration(0), kLookEvery).count());
}

std::vector<model::Tag> SweepOverseer::given(std::size_t step) const {
  std::vector<model::Tag> all;
  for (const sweep::Assignment& one : values(step)) all.push_back({one.name, one.text});
  return all;
}

std::string SweepOverseer::note(std::size_t step) const {
  return view::trial_note(plan_.metric, trials_, step);
}

Conclusion SweepOverseer::conclude() {
  const auto& over = trials_.outcome();
  if (!over) return {model::RunState::stopped, kNoResult, {}};
  Conclusion done;
  done.words = view::sweep_outcome(plan_.metric, trials_, plan_.names);
  if (over->best) {
    done.best = {plan_.names[*over->best], plan_.metric, *trials_.result(*over->best)};
  }
  if (over->end == sweep::SweepEnd::interrupted) {
    done.state = model::RunState::stopped;
  } else if (!sweep::succeeded(*over)) {
    done.state = model::RunState::failed;
    done.code = kNoResult;
  } else if (const auto kept = plan_.keep(*over->best); !kept) {
    done.signal = process::waiting_signal();
    if (done.signal != 0) done.state = model::RunState::stopped;
    if (done.signal != 0) return done;
    done.state = model::RunState::failed;
    done.code = base::exit_code(kept.error().fault);
    done.words += fmt::format("muster: {}\n", kept.error().what);
  }
  return done;
}

// A trial's time begins with its ranks: until then its hosts are being reached.
void SweepOverseer::note_start(std::size_t trial, Live& live, store::Allowance& left) {
  if (live.ranks_run || !live.ranks.look(left)) return;
  live.ranks_run = true;
  trials_.started(trial, steady_now());
}

// One turn's share goes to one after the other, beginning where the last turn's ended.
void SweepOverseer::read_all() {
  store::Allowance left;
  for (std::size_t count = live_.size(); count > 0 && !left.is_spent(); --count) {
    auto one = live_.lower_bound(next_);
    if (one == live_.end()) one = live_.begin();
    next_ = one->first + 1;
    note_start(one->first, one->second, left);
    read_reports(one->first, one->second, left);
  }
}

void SweepOverseer::read_reports(std::size_t trial, Live& live, store::Allowance& left) {
  sweep::SweepEffects effects;
  if (plan_.from_output) {
    for (const store::RankLine& one : live.lines.read_new(left)) {
      report_line(trial, one.line, one.rank, effects);
    }
  } else {
    for (const store::RankReport& one : live.files.read_new(left)) {
      trials_.reported(trial, one.report.value, effects, one.rank);
    }
  }
  take(effects);
}

bool SweepOverseer::has_more(const Live& live) const {
  return plan_.from_output ? live.lines.has_more() : live.files.has_more();
}

void SweepOverseer::tell_skipped(std::size_t trial, const Live& live) {
  const std::uint64_t bytes = plan_.from_output ? live.lines.skipped() : live.files.skipped();
  if (bytes == 0) return;
  orders_.say.push_back(
      fmt::format("{} wrote faster than its metric could be read: {} were skipped",
                  plan_.names[trial], base::byte_words(bytes)));
}

void SweepOverseer::report_line(std::size_t trial, const std::string& line, std::uint64_t rank,
                                sweep::SweepEffects& effects) {
  const auto value = sweep::printed_value(line, plan_.metric);
  if (value) trials_.reported(trial, *value, effects, rank);
}

// Which trial starts when is the conductor's business: it follows the same order and the same
// limit.
void SweepOverseer::take(const sweep::SweepEffects& effects) {
  if (trials_.is_ending()) {
    orders_.end_all = orders_.end_all || !told_end_;
    told_end_ = true;
    return;
  }
  for (const sweep::SweepEffect& effect : effects) {
    const auto* stop = std::get_if<sweep::StopTrial>(&effect);
    if (stop != nullptr) orders_.stop.push_back(stop->trial);
  }
}

}  // namespace muster::pipeline
