// Reads metrics while trials run, a few times each second.
#include "pipeline/sweep_overseer.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "view/sweep_words.hpp"

namespace muster::pipeline {
namespace {

constexpr int kLookEvery = 250;  // milliseconds

base::Instant steady_now() {
  return base::Instant(std::chrono::steady_clock::now().time_since_epoch());
}

constexpr int kNoResult = 1;

}  // namespace

SweepOverseer::SweepOverseer(SweepPlan plan) : plan_(std::move(plan)), trials_(plan_.settings) {
  sweep::SweepEffects effects;
  trials_.begin(steady_now(), effects);
  take(effects);
}

std::vector<sweep::Assignment> SweepOverseer::values(std::size_t trial) const {
  return sweep::assignments(plan_.settings.space, trials_.trials()[trial].point);
}

void SweepOverseer::started(std::size_t step) {
  trials_.started(step, steady_now());
  live_.emplace(step, Live{store::MetricFiles(plan_.metrics(step), plan_.metric)});
}

void SweepOverseer::printed(std::size_t step, std::string_view bytes) {
  const auto live = live_.find(step);
  if (!plan_.from_output || live == live_.end()) return;
  sweep::SweepEffects effects;
  for (const std::string& line : live->second.lines.feed(bytes)) {
    const auto value = sweep::printed_value(line, plan_.metric);
    if (value) trials_.reported(step, *value, effects);
  }
  take(effects);
}

void SweepOverseer::ended(std::size_t step, bool well) {
  const auto live = live_.find(step);
  if (live != live_.end()) {
    printed(step, "\n");  // its last line may have no end
    read_reports(step, live->second);
    live_.erase(live);
  }
  if (step >= trials_.trials().size()) return;  // it was not its turn yet
  sweep::SweepEffects effects;
  trials_.ended(step, well, effects);
  take(effects);
}

void SweepOverseer::interrupted() {
  sweep::SweepEffects effects;
  trials_.interrupt(effects);
  told_end_ = true;  // the conductor knows
}

Orders SweepOverseer::look() {
  for (auto& [trial, live] : live_) read_reports(trial, live);
  sweep::SweepEffects effects;
  if (!trials_.is_over()) trials_.pass(steady_now(), effects);
  take(effects);
  return std::exchange(orders_, {});
}

std::optional<int> SweepOverseer::patience() const {
  if (live_.empty()) return std::nullopt;
  return kLookEvery;
}

std::string SweepOverseer::note(std::size_t step) const {
  return view::trial_note(plan_.metric, trials_, step);
}

Conclusion SweepOverseer::conclude() {
  const auto& over = trials_.outcome();
  if (!over) return {model::RunState::stopped, kNoResult, {}};
  Conclusion done;
  done.words = view::sweep_outcome(plan_.metric, trials_, plan_.names);
  if (over->end == sweep::SweepEnd::interrupted) {
    done.state = model::RunState::stopped;
  } else if (!sweep::succeeded(*over)) {
    done.state = model::RunState::failed;
    done.code = kNoResult;
  } else if (const auto kept = plan_.keep(*over->best); !kept) {
    done.state = model::RunState::failed;
    done.code = base::exit_code(kept.error().fault);
    done.words += fmt::format("muster: {}\n", kept.error().what);
  }
  return done;
}

void SweepOverseer::read_reports(std::size_t trial, Live& live) {
  if (plan_.from_output) return;
  sweep::SweepEffects effects;
  for (const sweep::Report& report : live.files.read_new()) {
    trials_.reported(trial, report.value, effects);
  }
  take(effects);
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
