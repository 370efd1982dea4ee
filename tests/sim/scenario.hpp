// Scenario: everything that will happen to one simulated run, or to several that share hosts, as a
// value; drawn from a seed or read from a script.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "machine/opener.hpp"
#include "model/carriers.hpp"
#include "model/inventory.hpp"

namespace muster::sim {

using base::Duration;  // milliseconds

// How one attempt to reach a host goes.
struct Attempt {
  enum class How : std::uint8_t { up, fails, silent, up_then_lost };
  How how = How::up;
  machine::Retry retry = machine::Retry::no;  // of `fails`
  Duration takes = Duration(50);
};

enum class OnTerm : std::uint8_t { dies, exits, ignores };  // at SIGTERM, SIGINT, SIGHUP, SIGQUIT

struct TaskScript {
  std::optional<Duration> runs = std::chrono::seconds(1);  // none: for ever
  std::int32_t code = 0;
  std::int32_t signal = 0;  // not 0: ends by it
  std::uint32_t heals = 0;  // not 0: ends well once it was started so often before
  bool cannot_spawn = false;
  OnTerm on_term = OnTerm::dies;
  std::int32_t term_code = 143;         // of OnTerm::exits
  Duration term_takes = Duration(100);  // of OnTerm::exits
  std::uint64_t out_bytes = 0;          // written at once when it starts
  std::uint64_t err_bytes = 0;
  bool closes_out = false;      // as soon as it has written
  bool leaves_process = false;  // which holds both streams until the sweep
  bool reads_input = true;
  std::optional<Duration> joins;  // calls MPI_Init, or hvd.init(), so long after its start
  std::vector<Duration> spawns;   // calls MPI_Comm_spawn so long after its start
  std::uint32_t spawn_ranks = 1;  // each time
};

// Times are counted from the start of the head.
struct HostScript {
  model::Carrier carrier = model::kOpened;
  std::uint32_t ranks = 1;        // 0: idle, until ranks are spawned there; such hosts are the last
  std::uint32_t slots = 0;        // of an idle host
  std::vector<Attempt> attempts;  // then the last one again and again; none: up at once
  Duration latency = Duration(5);
  Duration clock_ahead = Duration(0);  // of the head's
  Duration jitter = Duration(0);
  Duration checks_for = Duration(2);
  bool refuses = false;
  bool declines = false;  // to start spawned ranks
  Duration spawn_takes = Duration(1);
  Duration sweep_takes = Duration(10);
  std::optional<Duration> link_closes;
  std::optional<Duration> stalls;      // a pulled cable
  Duration stall_lasts = Duration(0);  // 0: for ever
  bool is_busy = false;                // no cable: programs wait, while its kernel answers
  std::optional<Duration> agent_killed;
  std::optional<Duration> guard_killed;
  std::uint32_t guard_of = 0;    // of the runs that are there; each has its own
  std::optional<Duration> dies;  // power off
  bool foreign = false;          // not of the first run; such hosts are the last of all
};

struct UserAct {
  Duration at{0};
  std::int32_t signal = 0;
};

struct OtherRun;

struct Scenario {
  std::uint64_t seed = 0;  // of jitter
  std::vector<HostScript> hosts;
  std::vector<TaskScript> tasks;  // by rank; spawned ranks begin again with the first
  Duration grace = std::chrono::seconds(5);
  Duration lease = std::chrono::seconds(8);
  Duration patience = std::chrono::seconds(15);
  std::uint32_t parallel = 32;
  std::optional<Duration> timeout;
  std::optional<Duration> notice;  // SIGUSR2 so long before that
  bool traces = false;             // ranks tell what they are doing when it is up
  std::optional<Duration> init_timeout;
  std::uint32_t max_restarts = 0;
  std::vector<UserAct> signals;
  Duration sleeps = Duration(0);  // after SIGTSTP, until SIGCONT
  bool tick_before_cont = false;  // which the head hears first when it wakes
  std::optional<Duration> output_closes;
  std::optional<Duration> reader_pauses;  // nobody reads our stdout for a while
  Duration reader_pause = Duration(0);    // 0: for ever
  std::optional<Duration> head_killed;
  model::StdinTo input_to = model::StdinTo::none;
  std::uint64_t input_bytes = 0;
  std::uint32_t fences = 0;      // of each world whose ranks call MPI_Init; 0: they speak no PMIx
  std::uint32_t pmi_fences = 0;  // likewise, of PMI
  bool gloo = false;             // ranks that join tell the head's store, and call no MPI_Init
  bool holds = false;            // its idle hosts are greeted first, and kept
  std::vector<OtherRun> others;  // begun later, by the same head
  bool relayed = false;          // the head is a launcher inside a rank, and has a head above it
};

// What happens to a host stands in the outer scenario, what a run does there in its own.
struct OtherRun {
  Duration begins{0};
  bool within = false;               // the first run, with which it ends
  std::vector<std::uint32_t> hosts;  // of the outer scenario, index: host of its own
  Scenario own;
};

// Of the outer scenario's hosts, by index.
[[nodiscard]] std::string host_name(std::size_t host);

// What may go wrong, each with its probability; the durations bound what is drawn.
struct Faults {
  double task_fails = 0.06;
  double task_by_signal = 0.3;  // of those that fail
  double task_endless = 0.03;
  double task_cannot_spawn = 0.02;
  double task_ignores_term = 0.15;
  double task_exits_on_term = 0.25;
  double task_floods = 0.15;
  double task_closes_out = 0.1;
  double task_leaves_process = 0.1;
  double task_deaf_to_input = 0.3;
  double carrier_refused = 0.15;  // some times
  double carrier_always_refused = 0.02;
  double carrier_denied = 0.02;
  double carrier_silent = 0.02;
  double carrier_lost_early = 0.02;
  double host_refuses = 0.03;
  double link_closes = 0.03;
  double cable_pulled = 0.05;
  double cable_back = 0.4;  // of those that were pulled
  double is_busy = 0.4;     // instead
  double agent_killed = 0.05;
  double guard_killed = 0.05;
  double host_dies = 0.04;
  double head_killed = 0.06;
  double interrupted = 0.12;
  double interrupted_again = 0.5;
  double user_signal = 0.1;
  double suspended = 0.06;
  double timeout = 0.08;
  double output_closed = 0.05;
  double reader_pauses = 0.1;
  double reader_stays_away = 0.3;  // where the run is ended whether it reads or not
  double has_input = 0.3;
  double task_spawns = 0.05;
  double task_spawns_again = 0.3;
  double host_declines = 0.1;
  double is_mpi = 0.25;
  double task_never_joins = 0.05;
  double is_pmix = 0.6;  // of those with MPI
  double is_pmi = 0.7;   // of the others
  double is_gloo = 0.5;  // of those with MPI that speak neither
  double init_timeout = 0.4;
  double notice = 0.5;  // of runs with a time limit
  double has_idle_hosts = 0.2;
  double idle_host_is_here = 0.3;  // if no other is
  double holds_idle_hosts = 0.3;   // of the runs that have some
  double has_restarts = 0.15;
  double task_heals = 0.6;
  double has_other_run = 0.25;
  double other_is_within = 0.4;
  double other_shares_host = 0.6;
  double other_has_own_host = 0.3;
  Duration joins_at_most = std::chrono::seconds(2);
  Duration runs_at_most = std::chrono::seconds(6);
  Duration latency_at_most = Duration(200);
  Duration fault_at_most = std::chrono::seconds(8);
};

// Spawned ranks may spawn; above so many ranks they no longer do.
inline constexpr std::uint32_t kSpawnersMax = 40;

[[nodiscard]] Scenario draw(std::uint64_t seed, const Faults& faults);

}  // namespace muster::sim
