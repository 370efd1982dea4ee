// Starts trials while there is room, and judges them by what they report.
#include "sweep/trials.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace muster::sweep {

using base::Instant;

namespace {

constexpr std::uint64_t kFailuresLeast = 3;

}  // namespace

Trials::Trials(Settings settings, Begun begun)
    : settings_(std::move(settings)),
      begun_(std::move(begun)),
      wanted_(trials_of(settings_)),
      standings_(settings_.policy, settings_.goal) {
  CHECK(wanted_ > 0 && settings_.policy.interval > 0);
}

void Trials::begin(Instant now, SweepEffects& out) {
  CHECK(trials_.empty() && !over_);  // once
  if (settings_.limits.whole) limit_ = now + *settings_.limits.whole;
  start_what_fits(out);
}

void Trials::started(std::size_t trial, Instant now) {
  Trial& one = trials_[trial];
  if (one.state != TrialState::running || one.told || one.limit || !settings_.limits.one) return;
  one.limit = now + *settings_.limits.one;
}

void Trials::reported(std::size_t trial, double value, SweepEffects& out, std::uint64_t rank) {
  Trial& own = trials_[trial];
  if (own.state != TrialState::running || (own.speaker && *own.speaker < rank)) return;
  if (own.speaker && rank < *own.speaker) standings_.forget(trial);
  own.speaker = rank;
  const std::vector<std::size_t> ended = standings_.report(trial, value);
  if (ending_) return;
  for (const std::size_t one : ended) {
    if (!trials_[one].told) tell(one, TrialState::ended_early, out);
  }
}

void Trials::ended(std::size_t trial, bool well, SweepEffects& out) {
  Trial& one = trials_[trial];
  CHECK(one.state == TrialState::running && !over_);
  one.state = well ? TrialState::completed : one.told.value_or(TrialState::failed);
  one.limit.reset();
  standings_.end(trial, well);
  --running_;
  all_failed_ = all_failed_ && one.state == TrialState::failed;
  if (all_failed_ && ++failed_first_ >= failures_allowed() && !ending_) {
    end_all(SweepEnd::first_failed, out);
  }
  start_what_fits(out);
  close(out);
}

void Trials::pass(Instant now, SweepEffects& out) {
  if (limit_ && now >= *limit_) {
    limit_.reset();
    if (!ending_ && !over_) end_all(SweepEnd::out_of_time, out);
  }
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    Trial& one = trials_[i];
    if (!one.limit || now < *one.limit) continue;
    one.limit.reset();
    if (!one.told) tell(i, TrialState::out_of_time, out);
  }
}

void Trials::interrupt(SweepEffects& out) {
  if (over_) return;
  end_all(SweepEnd::interrupted, out);
}

std::optional<Instant> Trials::next() const {
  std::optional<Instant> soonest = limit_;
  for (const Trial& one : trials_) soonest = base::sooner(soonest, one.limit);
  return soonest;
}

std::optional<std::size_t> Trials::best() const {
  std::optional<std::size_t> best;
  std::optional<double> reached;
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    const std::optional<double> value = result(i);
    if (trials_[i].state != TrialState::completed || !value) continue;
    if (reached && !is_better(settings_.goal, *value, *reached)) continue;
    best = i;
    reached = value;
  }
  return best;
}

std::uint64_t Trials::failures_allowed() const {
  return std::min(std::max(at_once(), kFailuresLeast), wanted_);
}

void Trials::start_what_fits(SweepEffects& out) {
  leave_out();
  while (!ending_ && running_ < at_once() && trials_.size() < wanted_) {
    Point point = next_point();
    out.emplace_back(StartTrial{trials_.size(), point});
    trials_.push_back({std::move(point)});
    standings_.begin();
    ++running_;
    leave_out();
  }
}

Point Trials::next_point() const {
  const auto known = begun_.points.find(trials_.size());
  if (known != begun_.points.end()) return known->second;
  return sample(settings_, trials_.size(), tried());
}

// Those that would be next.
void Trials::leave_out() {
  while (trials_.size() < wanted_ && begun_.left_out.contains(trials_.size())) {
    trials_.push_back({next_point(), TrialState::left_out});
    standings_.begin();
    standings_.end(trials_.size() - 1, false);
  }
}

void Trials::tell(std::size_t trial, TrialState why, SweepEffects& out) {
  if (!trials_[trial].told) trials_[trial].told = why;
  out.emplace_back(StopTrial{trial, *trials_[trial].told});
}

void Trials::end_all(SweepEnd why, SweepEffects& out) {
  if (!ending_ || why == SweepEnd::interrupted) ending_ = why;
  const bool late = *ending_ == SweepEnd::out_of_time;
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    if (trials_[i].state != TrialState::running) continue;
    tell(i, late ? TrialState::out_of_time : TrialState::stopped, out);
  }
}

void Trials::close(SweepEffects& out) {
  if (running_ > 0) return;
  CHECK(ending_ || trials_.size() == wanted_);
  const std::optional<std::size_t> found = best();
  over_ = SweepOver{ending_.value_or(found ? SweepEnd::completed : SweepEnd::no_result), found};
  limit_.reset();
  out.emplace_back(*over_);
}

std::vector<Tried> Trials::tried() const {
  if (settings_.sampling.method != Method::bayesian) return {};
  std::vector<Tried> all;
  all.reserve(trials_.size());
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    const TrialState state = trials_[i].state;
    const bool tells = state != TrialState::running && state != TrialState::failed;
    std::optional<double> loss = tells ? result(i) : std::nullopt;
    if (loss && settings_.goal == Goal::maximize) loss = -*loss;
    all.push_back({trials_[i].point, loss});
  }
  return all;
}

std::uint64_t Trials::at_once() const {
  const std::uint64_t most = settings_.limits.at_once;
  return most == 0 ? wanted_ : std::min(most, wanted_);
}

void Trials::check() const {
  CHECK(trials_.size() == standings_.size() && trials_.size() <= wanted_);
  std::uint64_t running = 0;
  std::uint64_t failed = 0;
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    const Trial& one = trials_[i];
    const bool runs = one.state == TrialState::running;
    CHECK(standings_.runs(i) == runs);
    CHECK(!one.limit || (runs && settings_.limits.one));
    CHECK(!one.told || (*one.told != TrialState::running && *one.told != TrialState::completed));
    CHECK(one.point.size() == dimensions(settings_.space));
    CHECK(!ending_ || !runs || one.told);  // nothing is left to run on
    running += runs ? 1 : 0;
    failed += one.state == TrialState::failed ? 1 : 0;
  }
  CHECK(running == running_ && running_ <= at_once());
  CHECK(failed_first_ <= failed);
  CHECK(over_.has_value() == (!trials_.empty() && running_ == 0));
  CHECK(over_ || trials_.empty() || ending_ || trials_.size() == wanted_ || running_ == at_once());
  CHECK(!over_ || !next());
}

}  // namespace muster::sweep
