// RunEvent: what has happened to a run, once the head has accepted it. Whoever records, shows or
// reports a run hears of nothing else.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "base/time.hpp"
#include "model/joining.hpp"
#include "model/report.hpp"

namespace muster::model {

struct HostJoined {  // as the node after all others
  base::NodeIndex node;
  std::string name;
  bool operator==(const HostJoined&) const = default;
};
struct RankStarted {  // once in each round
  base::Rank rank;
  base::NodeIndex node;
  std::int32_t pid = 0;
  bool operator==(const RankStarted&) const = default;
};
struct RankEnded {  // likewise
  RankExit exit;
  bool operator==(const RankEnded&) const = default;
};

// Nothing more will be heard of a host that had ranks, or was to have some.
struct HostLost {
  base::NodeIndex node;
  std::string why;  // one line, with the name
  bool operator==(const HostLost&) const = default;
};
// Told with --verbose alone, as is MeetingPointChosen.
struct NetworkChosen {
  std::string host;
  std::string interface;  // empty: any
  std::string address;
  std::string reason;
  bool rdma = false;  // which is left to MPI
  bool operator==(const NetworkChosen&) const = default;
};
struct MeetingPointChosen {
  std::string address;
  std::string port;
  bool operator==(const MeetingPointChosen&) const = default;
};
// Something that the user should know, and that stops nothing.
struct Warned {
  std::string text;  // one line
  bool operator==(const Warned&) const = default;
};
struct SpawnRefused {
  std::string spawner;  // "rank 3"
  base::Error why;
  bool operator==(const SpawnRefused&) const = default;
};
// Ranks wait for others of their world.
struct RanksAwaited {
  std::vector<std::string> absent;  // "rank 3 on node1"; never empty
  std::chrono::seconds waited{0};
  Joining joining = Joining::mpi;
  bool operator==(const RanksAwaited&) const = default;
};
// Before the time limit, to all ranks.
struct NoticeGiven {
  std::int32_t signal = 0;
  base::Duration before{0};
  bool operator==(const NoticeGiven&) const = default;
};
// The time limit has come; what the ranks that still run are doing follows, as RankTraced.
struct TimeUp {
  std::uint32_t ended = 0;
  std::uint32_t ranks = 0;
  bool operator==(const TimeUp&) const = default;
};
struct RankTraced {
  std::string rank;  // "rank 3 on node1, pid 42"
  std::string state;
  std::string stack;  // lines; may be empty
  bool operator==(const RankTraced&) const = default;
};
struct TracesMissing {  // of so many ranks, which did not answer in time
  std::uint32_t ranks = 0;
  bool operator==(const TracesMissing&) const = default;
};
// The user wants the run to end.
struct Interrupted {
  std::uint32_t ranks = 0;  // that are still running
  bool operator==(const Interrupted&) const = default;
};
// In a round, and by ranks that are spawned, once more.
enum class Phase : std::uint8_t {
  greeted,   // every agent has answered
  prepared,  // every host has checked program and folder
  started,   // every rank has a process
  ended,     // every rank has ended
};
struct PhaseReached {
  Phase phase = Phase::greeted;
  base::Duration after{0};  // since the head started
  bool operator==(const PhaseReached&) const = default;
};
// All ranks are started again.
struct RoundBegun {
  std::uint32_t round = 0;  // 1: the first restart
  std::uint32_t max_restarts = 0;
  std::string why;  // what failed in the round before
  bool operator==(const RoundBegun&) const = default;
};

// The last event. With a report that has same_hosts, no rank was started and the run is planned
// again; its events follow.
struct RunEnded {
  RunReport report;
  bool operator==(const RunEnded&) const = default;
};

using RunEvent =
    std::variant<HostJoined, RankStarted, RankEnded, HostLost, NetworkChosen, MeetingPointChosen,
                 Warned, SpawnRefused, RanksAwaited, NoticeGiven, TimeUp, RankTraced, TracesMissing,
                 Interrupted, PhaseReached, RoundBegun, RunEnded>;

}  // namespace muster::model
