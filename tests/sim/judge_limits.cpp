// The rules about time: limits that pass, how long the end takes; and what the report says then.
#include <algorithm>
#include <csignal>
#include <fmt/format.h>

#include "machine/patience.hpp"
#include "sim/judge.hpp"
#include "sim/words.hpp"

namespace muster::sim {

using base::Fault;
using base::Instant;
using base::NodeIndex;
using base::Rank;
using model::Cause;

namespace {
constexpr Duration kStopLimit(12'000);  // beyond the grace, until an agent is given up
constexpr Duration kKillLimit(7'000);   // the same after a second Ctrl-C
constexpr Duration kTraceTime(30'000);  // in which ranks may tell what they are doing
constexpr Duration kTolerance(2);
}  // namespace

// ---- notice of the time limit -------------------------------------------------------------------

std::optional<Instant> Judge::notice_time() const {
  if (!world_.notice) return std::nullopt;
  return began_ + *world_.timeout - *world_.notice;
}

void Judge::notice_to(NodeIndex node) {
  const auto due = notice_time();
  if (!due || agenda_.now() < *due) complain("notice of the time limit comes too early");
  if (acted_) complain("notice comes while the run ends");
  if (noticed_.value_or(agenda_.now()) != agenda_.now()) complain("notice comes at two times");
  if (!told_.insert(node).second) complain("notice comes twice");
  noticed_ = agenda_.now();
}

// Whether ranks have been heard of there, and not of their end.
bool Judge::runs(NodeIndex node) const {
  return std::ranges::any_of(plan_.nodes[node.value].ranks, [&](Rank rank) {
    return started_.contains(rank) && !exited_.contains(rank);
  });
}

// All hosts with ranks are told in the same turn; and in time, once all ranks run.
void Judge::check_notice() {
  if (noticed_ == agenda_.now()) {
    for (std::uint32_t i = 0; i < first_nodes_; ++i) {
      const Node& node = nodes_[i];
      if (runs(NodeIndex(i)) && !node.closed && !node.stopped && !told_.contains(NodeIndex(i))) {
        complain("notice does not reach every host");
      }
    }
  }
  const auto due = notice_time();
  const bool late = due && agenda_.now() > *due + world_.sleeps + kTolerance;
  const bool ran = rounds_ == 0 && started_.size() >= first_ranks_ && running_since_ < due;
  if (late && ran && !noticed_ && !first_ && !acted_ && !all_stopped() &&
      !std::exchange(missed_, true)) {
    complain("no notice of the time limit");
  }
}

void Judge::turn_over(const model::RunReport& report, bool another_lost) {
  check_notice();
  pmix_.turn_over();
  pmi_.turn_over();
  if (acted_ && !first_ && !all_stopped()) by_the_clock(report, another_lost);
  if (outer_over_ && !acted_ && !first_ && !all_stopped()) {
    complain("a run does not end with the one that it was begun within");
    acted_ = agenda_.now();
  }
  const bool may_wait =
      is_held_back() && agenda_.now() <= *held_until_ + kTolerance + world_.sleeps;
  if ((first_ || is_held_back()) && !may_wait && !acted_ && !all_stopped()) {
    complain("a failure came and the head did nothing");
    acted_ = agenda_.now();
  }
}

// ---- limits -------------------------------------------------------------------------------------

// The head ends the run and nothing has come: then a limit must have passed, or another run is the
// reason.
void Judge::by_the_clock(const model::RunReport& report, bool another_lost) {
  if (outer_over_ && report.cause == Cause::interrupted) {
    return first({Cause::interrupted, {}, 0, SIGTERM, 128 + SIGTERM, {}});
  }
  const bool from_another =
      another_lost && report.error.what.ends_with(": another run has lost it");
  if (report.cause != Cause::fault || (!from_another && !clock_allows(report.error))) {
    return complain("the head ends the run without a reason: " + words(report));
  }
  fault(report.error.fault, report.error.what);
}

Duration Judge::lease_of(const Link& link) const {
  return machine::patience(world_.lease, link.is_busy);
}

bool Judge::clock_allows(const base::Error& error) const {
  const Instant now = agenda_.now();
  if (error.fault == Fault::timeout) {
    return (world_.timeout && now >= began_ + *world_.timeout) ||
           (world_.init_timeout && waits_since(now - *world_.init_timeout));
  }
  for (const Node& node : nodes_) {
    if (error.fault == Fault::unreachable && node.link->attempt &&
        now >= *node.link->attempt + world_.patience) {
      return true;
    }
    if (error.fault == Fault::lost && node.hello && !node.stopped &&
        now >= *node.link->heard + lease_of(*node.link)) {
      return true;
    }
  }
  return false;
}

// A limit has passed, with time to spare, and the head has not noticed.
void Judge::too_late() {
  if (first_ || acted_ || all_stopped()) return;
  const Instant now = agenda_.now() - kTolerance;
  const Duration traces = world_.traces ? kTraceTime : Duration(0);
  if (world_.timeout && now > began_ + *world_.timeout + traces + world_.sleeps) {
    complain("the time limit has passed unnoticed");
    acted_ = now;
  }
  if (world_.init_timeout && waits_since(now - *world_.init_timeout - world_.sleeps)) {
    complain("ranks wait in MPI_Init, or hvd.init(), for longer than they should");
    acted_ = now;
  }
  for (const Node& node : nodes_) {
    if (node.here) continue;
    const Link& link = *node.link;
    if (link.attempt && now > *link.attempt + world_.patience + world_.sleeps) {
      complain("an attempt takes longer than the patience");
      acted_ = now;
    }
    const Duration silence = lease_of(link) + world_.lease / 4;
    if (holds(NodeIndex(&node - nodes_.data())) && !node.stopped &&
        now > *link.heard + silence + world_.sleeps) {
      complain("a silent host is not noticed");
      acted_ = now;
    }
  }
}

// ---- the end ------------------------------------------------------------------------------------

// The clocks of the hosts differ. None that certainly failed by itself ended before all that the
// report names, those are no further apart than it says, and their highest code counts.
bool Judge::names_the_first(const model::RunReport& report) const {
  Instant earliest = Instant::max();
  for (const auto& [rank, exit] : exited_) {
    const bool as_by_us =
        exit.signal == SIGTERM || exit.signal == SIGKILL || exit.exit_code() == 128 + SIGTERM;
    if (!exit.failed() || (as_by_us && rank.value != first_->rank)) continue;
    earliest = std::min(earliest, ended_at_.at(rank));
  }
  std::vector<model::RankExit> named{report.first};
  for (const model::HostExit& one : report.together) named.push_back(one.exit);
  Instant from = Instant::max(), to = Instant::min();
  int code = 0;
  for (const model::RankExit& exit : named) {
    from = std::min(from, ended_at_.at(exit.rank));
    to = std::max(to, ended_at_.at(exit.rank));
    code = std::max(code, exit.exit_code());
  }
  return from <= earliest && to - from <= report.together_within && report.exit_code() >= code;
}

void Judge::verdict(const model::RunReport& report) {
  if (ended_ != report) complain("the end is not told, or with another report");
  const First expected = first_.value_or(First{});
  const bool ranks = expected.cause == Cause::rank_failed;
  const bool by_clocks = ranks && !report.aborted && names_the_first(report);
  const bool same =
      report.cause == expected.cause && (by_clocks || report.exit_code() == expected.exit_code) &&
      (!ranks || by_clocks || (report.aborted && report.first.rank.value == expected.rank)) &&
      (expected.cause != Cause::fault || report.error.what == expected.what);
  if (!same) {
    complain(fmt::format("wrong report: {}; the first failure was {} {} rank {} at {}",
                         words(report), static_cast<int>(expected.cause), expected.what,
                         expected.rank, (expected.at - Agenda::kStart).count() / 1'000'000));
  }
  for (const base::Rank rank : report.missing) {
    const bool at_store = report.joining == model::Joining::horovod;
    if ((at_store ? store_roll_ : roll_of(rank)).here.contains(rank)) {
      complain("the report misses a rank that has come");
    }
  }
  const auto good = [](const auto& entry) { return !entry.second.failed(); };
  const bool all_good = exited_.size() == plan_.ranks.size() && std::ranges::all_of(exited_, good);
  if (!first_ && !spawns_.empty()) complain("a spawn was never answered");
  if (report.exit_code() == 0 && !all_good) complain("exit code 0, but not of every rank");
  if (report.ended + report.others_total > plan_.ranks.size()) complain("more ends than ranks");

  Instant limit = *over_;
  if (first_) limit = std::max(first_->at, acted_.value_or(first_->at)) + world_.grace + kStopLimit;
  if (first_ && again_) limit = std::min(limit, *again_ + kKillLimit);
  if (all_stopped_at_) limit = std::min(limit, *all_stopped_at_);
  if (*over_ > limit + kTolerance + world_.sleeps) complain("the end took too long");
}

}  // namespace muster::sim
