// Verdict: how a run has gone, for its report. The first failure decides cause and exit code; what
// follows from the ending itself never replaces it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "base/time.hpp"
#include "machine/first_deaths.hpp"
#include "machine/tail.hpp"
#include "model/report.hpp"
#include "model/world.hpp"

namespace muster::machine {

class Verdict {
 public:
  explicit Verdict(model::ExitStyle style);

  void add(const model::World& world);
  // All ranks of the first world start again. The report keeps only the first failure of this
  // round, and its warnings.
  void renew();

  // Bytes of a rank's stderr, for the report's last lines.
  void remember(base::Rank rank, std::string_view errors);
  // A rank failed by itself. `in_time`: before muster ended others.
  void failed(Death death, bool in_time);
  // A rank asked for the end, or is treated as if it had; its exit comes, or has come.
  void aborted(model::RankExit exit, std::string why, std::string host,
               const model::Circumstances& around);
  // It followed from the failure of another rank, which comes next.
  void abort_is_explained();
  void fault(base::Error error, std::string host);
  // It was that a host has been told to end.
  void host_was_ended() { host_was_ended_ = true; }
  // `in_batch_job`: whose system may have sent the signal.
  void interrupted(std::int32_t signal, bool in_batch_job);
  // Whether so far nothing has gone wrong but what such a signal for a whole job does: it also ends
  // ranks, and agents with their hosts.
  [[nodiscard]] bool explained_by(std::int32_t signal) const;

  void found_same(std::vector<model::SameHost> hosts);
  void gave_notice(std::int32_t signal);
  void stopping(base::Duration grace);
  void ended_by_us() { ++report_.ended; }
  void killed(std::uint32_t ranks) { report_.killed += ranks; }
  void warn(std::string warning);

  // Without what only the end can tell: `others`, `missing`, `tail`.
  [[nodiscard]] const model::RunReport& so_far() const { return report_; }
  // Without `missing`.
  [[nodiscard]] model::RunReport report() const;
  // This rank asked for the end.
  [[nodiscard]] bool is_of(base::Rank rank) const;
  // Asserts what holds between two calls; takes time, so only tests ask.
  void check() const;
  bool operator==(const Verdict&) const = default;

 private:
  void count_code(const model::RankExit& exit);
  void settle_first();

  model::RunReport report_;
  bool host_was_ended_ = false;
  std::vector<Tail> tails_;                // index: rank
  std::vector<model::RankExit> failures_;  // of ranks that nobody had ended, as heard
  FirstDeaths deaths_;                     // likewise
};

inline constexpr std::size_t kOthersMax = 8;  // ranks named beside the first, at most

}  // namespace muster::machine
