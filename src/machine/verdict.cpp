// Decides which failure was the first, and keeps what the report says.
#include "machine/verdict.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/check.hpp"

namespace muster::machine {

using base::Rank;

Verdict::Verdict(model::ExitStyle style) { report_.style = style; }

void Verdict::add(const model::World& world) {
  CHECK(world.first.value == report_.world_size);
  report_.world_size += world.size;
  report_.worlds.push_back(world);
  tails_.resize(report_.world_size);
}

void Verdict::renew() {
  CHECK(report_.cause == model::Cause::rank_failed);
  Verdict next(report_.style);
  next.report_.rounds = std::move(report_.rounds);
  next.report_.rounds.push_back(report_.first);
  next.report_.warnings = std::move(report_.warnings);
  next.add(report_.worlds.front());
  *this = std::move(next);
}

void Verdict::remember(Rank rank, std::string_view errors) {
  CHECK(rank.value < tails_.size());
  tails_[rank.value].take(errors);
}

void Verdict::failed(Death death, bool in_time) {
  CHECK(death.exit.failed());
  if (in_time) count_code(death.exit);
  failures_.push_back(death.exit);
  deaths_.add(std::move(death));
  report_.cause = model::Cause::rank_failed;
  settle_first();
}

void Verdict::count_code(const model::RankExit& exit) {
  report_.codes |= exit.signal != 0 ? exit.signal : exit.code;
  report_.worst = std::max(report_.worst, exit.exit_code());
}

// The codes of all that may have been first count, so that chance does not decide the job's.
void Verdict::settle_first() {
  if (report_.aborted) return;
  const std::vector<const Death*> deaths = deaths_.first();
  CHECK(!deaths.empty());
  for (const Death* death : deaths) count_code(death->exit);
  report_.first = deaths.front()->exit;
  report_.host = deaths.front()->host;
  report_.error_file = deaths.front()->error_file;
  report_.around = deaths.front()->around;
  report_.together.clear();
  if (deaths.size() == 1) return;
  for (const Death* death : std::span(deaths).subspan(1)) {
    report_.together.push_back({death->exit, death->host});
  }
  report_.together_within = FirstDeaths::spread(deaths);
}

void Verdict::aborted(model::RankExit exit, std::string why, std::string host,
                      const model::Circumstances& around) {
  report_.cause = model::Cause::rank_failed;
  report_.first = exit;
  report_.together.clear();
  report_.aborted = true;
  report_.abort_message = std::move(why);
  report_.host = std::move(host);
  if (around.shared) report_.around.shared = around.shared;
}

void Verdict::abort_is_explained() {
  report_.aborted = false;
  report_.abort_message.clear();
}

void Verdict::fault(base::Error error, std::string host) {
  report_.cause = model::Cause::fault;
  report_.host = std::move(host);
  report_.error = std::move(error);
}

void Verdict::interrupted(std::int32_t signal, bool in_batch_job) {
  report_.cause = model::Cause::interrupted;
  report_.signal = signal;
  report_.in_batch_job = in_batch_job;
}

bool Verdict::explained_by(std::int32_t signal) const {
  if (report_.cause == model::Cause::fault) return host_was_ended_;
  return report_.cause == model::Cause::rank_failed && !report_.aborted &&
         std::ranges::all_of(failures_, [&](const auto& one) {
           return one.signal == signal || one.code == 128 + signal;
         });
}

void Verdict::found_same(std::vector<model::SameHost> hosts) {
  report_.same_hosts = std::move(hosts);
}

void Verdict::gave_notice(std::int32_t signal) { report_.notice = signal; }

void Verdict::stopping(base::Duration grace) { report_.grace = grace; }

void Verdict::warn(std::string warning) { report_.warnings.push_back(std::move(warning)); }

bool Verdict::is_of(Rank rank) const { return report_.aborted && report_.first.rank == rank; }

model::RunReport Verdict::report() const {
  model::RunReport report = report_;
  const auto is_first = [&](const model::RankExit& exit) {
    return exit.rank == report.first.rank ||
           std::ranges::any_of(report.together,
                               [&](const auto& one) { return one.exit.rank == exit.rank; });
  };
  for (const model::RankExit& exit : failures_) {
    if (is_first(exit)) continue;
    ++report.others_total;
    if (report.others.size() < kOthersMax) report.others.push_back(exit);
  }
  if (report.cause == model::Cause::rank_failed) {
    CHECK(report.first.rank.value < tails_.size());
    report.tail = tails_[report.first.rank.value].lines();
  }
  return report;
}

}  // namespace muster::machine
