// RunReport: how a run ended and why, as the head knows it; view turns it into words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "base/time.hpp"
#include "model/circumstances.hpp"
#include "model/failure_rule.hpp"
#include "model/inventory.hpp"
#include "model/joining.hpp"
#include "model/world.hpp"

namespace muster::model {

// How one task ended. Exactly one of code and signal is meaningful: signal 0 means exit(code).
struct RankExit {
  base::Rank rank;
  std::int32_t pid = 0;
  std::int32_t code = 0;
  std::int32_t signal = 0;
  bool core_dumped = false;
  std::uint64_t max_rss_kib = 0;
  bool operator==(const RankExit&) const = default;
  [[nodiscard]] bool failed() const { return code != 0 || signal != 0; }
  [[nodiscard]] int exit_code() const { return signal != 0 ? 128 + signal : code; }
};

enum class Cause : std::uint8_t {
  completed,    // every rank exited with 0
  rank_failed,  // `first` says which and how
  fault,        // `error` says what; a fault of hosts, files, start or muster itself
  interrupted,  // `signal` was sent to muster
};

// Who chose the exit code of a run.
enum class CodeFrom : std::uint8_t {
  nobody,  // it is 0
  rank,    // a rank: its own code, or 128 and the signal that ended it
  muster,  // a fault, or the fixed code of another launcher's style
  signal,  // 128 and the signal that was sent to muster
};

// "rank", "muster", "signal"; empty: none of them.
[[nodiscard]] std::string_view word(CodeFrom from);

// A rank's end with its host.
struct HostExit {
  RankExit exit;
  std::string host;
  bool operator==(const HostExit&) const = default;
};

struct RunReport {
  Cause cause = Cause::completed;
  RankExit first;                 // rank_failed: the first failure, as far as clocks tell
  bool aborted = false;           // `first` asked for the end itself (MPI_Abort): its code counts
  std::string abort_message;      // what it said then; may be empty
  std::string host;               // host of `first`, or of the fault
  std::vector<std::string> tail;  // last lines of `first`'s stderr, at most 12
  std::string error_file;         // what `first` wrote to TORCHELASTIC_ERROR_FILE; may be empty
  // Ranks of other hosts that may as well have been first, at most one of each; what the clocks of
  // the hosts leave open is no more than this.
  std::vector<HostExit> together;
  std::chrono::microseconds together_within{0};
  Circumstances around;  // of `first` on its host, as far as they are known
  std::vector<RankExit>
      others;  // further ranks that failed before muster ended the rest, at most 8
  std::uint32_t others_total = 0;  // how many of those there were in all
  std::int32_t worst = 0;  // highest exit_code() of a rank that failed before muster ended the rest
  std::int32_t codes = 0;  // codes and signals of those ranks, OR-ed
  // Ranks that had not joined their world when the job was ended, while others of it waited for
  // them there; at most 8, and how many in all.
  std::vector<base::Rank> missing;
  std::uint32_t missing_total = 0;
  Joining joining = Joining::mpi;  // where they were waited for
  std::vector<RankExit> rounds;    // the first failures of rounds that others followed
  base::Error error;               // fault
  std::int32_t signal = 0;         // interrupted
  bool in_batch_job = false;       // interrupted in a job that its batch system may have ended
  std::int32_t notice = 0;       // the signal that warned the ranks of the time limit; 0: not sent
  std::uint32_t world_size = 0;  // ranks of all worlds
  std::vector<World> worlds;     // in order; more than one when ranks were spawned
  std::uint32_t ended = 0;       // ranks that muster ended with a signal
  std::uint32_t killed = 0;      // of those, ranks that needed SIGKILL after the grace time
  base::Duration grace{0};
  std::vector<std::string> warnings;  // for example processes that could not be ended
  // Hosts that were found to be others of the plan under another name, before any rank was started:
  // the job must be planned again. Completed, then.
  std::vector<SameHost> same_hosts = {};
  ExitStyle style = ExitStyle::muster;
  // What to do if `first` says that it wanted input; empty: nothing keeps it from having some.
  std::string input_step = {};

  [[nodiscard]] int exit_code() const;
  [[nodiscard]] CodeFrom code_from() const;
  bool operator==(const RunReport&) const = default;
};

}  // namespace muster::model
