// HeadMachine: one run, from the first link to the report.
//
//   opening ──every agent greeted──▶ preparing ──every host prepared──▶ running
//   opening, preparing, running ──failure, signal, time limit──▶ stopping
//   running ──every rank ended──▶ stopping ──every agent stopped or gone──▶ leaving
//   leaving ──every link closed, or kLeaveTime──▶ finished
//   stopping ──a rank failed, restarts are left, every agent stopped──▶ opening: another round
//
// A survey ends once every agent has greeted: opening ──▶ leaving. So does a run whose agents show
// that two of its hosts are one; it must be planned anew (RunReport::same_hosts).
//
// A node:  waiting ──LinkUp──▶ up ──Welcome──▶ greeted ──Prepared──▶ prepared ──(Start)──▶ running
//          ──Stopped──▶ stopped; from any state ──link lost, silence──▶ gone
//
// The first failure decides cause and exit code; what follows from the ending itself (our signal,
// links that close) never replaces it. Nothing starts on any host before every host is prepared.
//
// While it runs, ranks may spawn worlds of more ranks, one world at a time:
//
//   Spawn ──▶ asked of hosts ──all Prepared──▶ started; one Declined ──▶ dropped
//               ◀── asked again, of others, when one has Stopped
//
// A spawn that cannot be met is the spawner's error, not the job's. Spawned ranks count like all
// others from then on; what comes once the job is ending is left unanswered.
//
// Ranks may be spawned on hosts that have had none. Such a host joins: its node is new, and goes
//
//   waiting ──LinkUp──▶ up ──Welcome──▶ greeted ──Prepared, (Start)──▶ running
//
// and the spawn waits until all that it calls have greeted. Until it is told to start, a host that
// has joined is idle: when it is lost, the spawn that needs it fails, the job goes on without it,
// and it is not called again. Idle hosts leave with the last that works.
//
// It is large: every message has a function, and when to prepare, start, stop, restart and leave
// follows from what all its parts know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "base/time.hpp"
#include "machine/head_events.hpp"
#include "machine/hosts.hpp"
#include "machine/input_flow.hpp"
#include "machine/orders.hpp"
#include "machine/placed_world.hpp"
#include "machine/pmix_head.hpp"
#include "machine/ranks.hpp"
#include "machine/spawns.hpp"
#include "machine/time_limit.hpp"
#include "machine/verdict.hpp"
#include "machine/wireup.hpp"
#include "model/job_spec.hpp"
#include "model/plan.hpp"
#include "model/report.hpp"
#include "model/world.hpp"
#include "plan/environment.hpp"
#include "wire/messages.hpp"

namespace muster::machine {

// ---- the machine ------------------------------------------------------------------------------

struct HeadInput {
  model::JobSpec spec;
  model::Plan plan;
  plan::Kept kept;
  std::string job;          // random, names the job on every host
  std::string secret = {};  // random too, told to the job's own ranks alone
  // When the time limit ends the job, for MUSTER_DEADLINE: see plan::deadline().
  std::optional<std::int64_t> deadline = {};
  // Only greet the hosts and learn their hardware: nothing is prepared or started.
  bool survey = false;
};

class HeadMachine {
 public:
  explicit HeadMachine(HeadInput input);

  void start(base::Instant now, HeadEffects& out);
  void step(base::Instant now, HeadEvent event, HeadEffects& out);
  [[nodiscard]] std::optional<base::Instant> deadline() const;
  // True once every byte of every stream has been announced as ended and Finish was given.
  [[nodiscard]] bool finished() const { return state_ == State::finished; }
  // First credit of each output stream of the first world, bytes.
  [[nodiscard]] std::uint32_t window() const;
  [[nodiscard]] model::RunReport report() const;
  // What the host of a node told in its greeting, if it has come.
  [[nodiscard]] const std::optional<model::HostFacts>& facts(base::NodeIndex node) const {
    return hosts_.facts(node);
  }

 private:
  enum class State { opening, preparing, running, stopping, leaving, finished };
  // Of a node's ranks. What is known of its link, Hosts knows; a node whose ranks have not been
  // prepared is greeted or not.
  enum class NodeState { fresh, prepared, running, stopped, gone };
  struct Node {
    NodeState state = NodeState::fresh;
    std::uint32_t taken = 0;  // how often its agent has said that cpus are taken
    bool joined = false;      // for spawned ranks, or has been greeted again for them
    std::uint32_t busy = 0;   // its ranks that have not ended
  };

  void on(LinkUp& event, HeadEffects& out);
  void on(LinkFailed& event, HeadEffects& out);
  void on(LinkLost& event, HeadEffects& out);
  void on(Heard& event, HeadEffects& out);
  void on(Printed& event, HeadEffects& out);
  void on(UserSignal& event, HeadEffects& out);
  void on(InputBytes& event, HeadEffects& out);
  void on(InputEnded&, HeadEffects& out);
  void on(OutputClosed&, HeadEffects& out);
  void on(GlooServed& event, HeadEffects& out);
  void on(HeadTick&, HeadEffects& out);

  void hear(base::NodeIndex node, wire::Welcome& message, HeadEffects& out);
  void hear(base::NodeIndex node, wire::Prepared& message, HeadEffects& out);
  void hear(base::NodeIndex node, wire::Taken& message, HeadEffects& out);
  void hear(base::NodeIndex node, wire::Refused& message, HeadEffects& out);
  void hear(base::NodeIndex node, wire::Started& message, HeadEffects& out);
  void hear(base::NodeIndex node, wire::Output&, HeadEffects& out);
  void hear(base::NodeIndex node, wire::OutputEnd&, HeadEffects& out);
  void hear(base::NodeIndex node, wire::Exited& message, HeadEffects& out);
  void hear(base::NodeIndex node, wire::InputCredit& message, HeadEffects& out);
  void hear(base::NodeIndex node, wire::FenceIn& message, HeadEffects& out);
  void hear(base::NodeIndex node, wire::Aborted& message, HeadEffects& out);
  void hear(base::NodeIndex node, wire::Attendance& message, HeadEffects& out);
  void hear(base::NodeIndex node, wire::NameAsk& message, HeadEffects& out);
  void hear(base::NodeIndex node, wire::PmixUp& message, HeadEffects& out);
  void hear(base::NodeIndex node, wire::Spawn& message, HeadEffects& out);
  void hear(base::NodeIndex node, wire::Traced& message, HeadEffects& out);
  void hear(base::NodeIndex node, wire::Declined& message, HeadEffects& out);
  void hear(base::NodeIndex node, wire::Stopped& message, HeadEffects& out);
  void hear(base::NodeIndex node, wire::Pong&, HeadEffects& out);

  [[nodiscard]] bool may_restart() const;
  void begin_round(HeadEffects& out);
  void forget_round();
  void end_input(HeadEffects& out) const;
  void end_overdue(HeadEffects& out);
  void prepare_all(HeadEffects& out);
  void serve_gloo(HeadEffects& out);
  void order_all(HeadEffects& out);
  [[nodiscard]] wire::Prepare first_orders(base::NodeIndex node,
                                           const plan::Rendezvous& where) const;
  [[nodiscard]] wire::Wireup wireup(const PlacedWorld& placed) const;
  void tell_networks(const plan::Rendezvous& where, HeadEffects& out) const;
  void tell_network(base::NodeIndex node, const plan::Rendezvous& where, std::size_t place,
                    HeadEffects& out) const;
  void part(HeadEffects& out);
  void start_all(HeadEffects& out);
  void fault(base::Error error, const std::string& host, HeadEffects& out);
  void stop_all(std::int32_t number, base::Duration grace, HeadEffects& out);
  void stop_node(base::NodeIndex node, std::int32_t number, base::Duration grace, HeadEffects& out);
  void give_up(base::NodeIndex node, HeadEffects& out);
  [[nodiscard]] bool failed_by_itself(const Death& death) const;
  void note_failure(Death death);
  [[nodiscard]] bool ends_others(const model::RankExit& exit) const;
  void end_by(base::Rank rank, std::int32_t code, std::string why, HeadEffects& out);
  void look_for_deserter(HeadEffects& out);
  void tell_servers(PmixOrders orders, HeadEffects& out) const;
  void tell_servers_of(const SpawnOutcome& ready, const AddWorld& added, HeadEffects& out);
  void check_roll(HeadEffects& out);
  void watch_roll(HeadEffects& out);
  void tell_absent(HeadEffects& out) const;
  [[nodiscard]] bool roll_matters() const;
  [[nodiscard]] std::vector<base::Rank> missing() const;
  [[nodiscard]] bool only_servers_left() const;
  void count_end(base::Rank rank);
  void forget_tasks(base::NodeIndex node);
  void next_spawn(HeadEffects& out);
  [[nodiscard]] std::vector<SpawnSite> spawn_sites() const;
  void ask_hosts(const AskedSpawn& asked, const PlannedSpawn& made, HeadEffects& out);
  [[nodiscard]] wire::Prepare spawn_orders(const AskedSpawn& asked, const PlannedSpawn& made,
                                           const OrdersFor& world, base::NodeIndex node) const;
  void conclude(Spawns::Outcome outcome, HeadEffects& out);
  void start_spawned(const SpawnOutcome& ready, HeadEffects& out);
  void call_hosts(AskedSpawn asked, const PlannedSpawn& made, HeadEffects& out);
  [[nodiscard]] base::NodeIndex call_host(model::Host host, HeadEffects& out);
  void wake_host(base::NodeIndex node, HeadEffects& out);
  void host_missed(base::NodeIndex node, base::Error error, HeadEffects& out);
  void dismiss_idle(HeadEffects& out);
  [[nodiscard]] bool idle(base::NodeIndex node) const;
  [[nodiscard]] bool may_spawn_on(base::NodeIndex node) const;
  [[nodiscard]] bool may_wake(base::NodeIndex node) const;
  void introduce(base::NodeIndex node, wire::Prepare& prepare) const;
  [[nodiscard]] std::string hostfile() const;
  [[nodiscard]] bool opens_links() const;
  [[nodiscard]] plan::Rendezvous meeting_point(const PlannedSpawn& made) const;
  void drop_spawn(const PlannedSpawn& made, HeadEffects& out) const;
  void add_tasks(const PlannedSpawn& made);
  void refuse_spawn(const AskedSpawn& asked, const base::Error& why, HeadEffects& out);
  void answer_spawn(base::NodeIndex asker, wire::Spawned answer, HeadEffects& out) const;
  [[nodiscard]] std::uint32_t window_for(std::size_t ranks) const;
  [[nodiscard]] bool all_ended(base::NodeIndex node) const;
  [[nodiscard]] bool all_work_ended() const;
  void leave_when_stopped(HeadEffects& out);
  [[nodiscard]] wire::Bye bye(base::NodeIndex node) const;
  void finish_when_left(HeadEffects& out);
  void lose(base::NodeIndex node, base::Error error, HeadEffects& out);
  void interrupt(std::int32_t number, HeadEffects& out);
  void forward(std::int32_t number, HeadEffects& out);
  void suspend(HeadEffects& out);
  void keep_alive(HeadEffects& out);
  void check_limits(HeadEffects& out);
  void give_notice(HeadEffects& out);
  void time_is_up(HeadEffects& out);
  void end_late(HeadEffects& out);
  [[nodiscard]] bool shares_too_little(base::NodeIndex node) const;
  void warn_loaders(HeadEffects& out) const;
  void warn_mpi(base::NodeIndex node, HeadEffects& out);
  void to_running(base::NodeIndex node, wire::ToAgent message, HeadEffects& out) const;
  void to_all_running(const wire::ToAgent& message, HeadEffects& out);
  void to_all_leased(const wire::ToAgent& message, HeadEffects& out);
  [[nodiscard]] bool leased(base::NodeIndex node) const;
  [[nodiscard]] bool owns(base::NodeIndex node, base::Rank rank) const;
  [[nodiscard]] bool speaks_for_itself(const Heard& event) const;
  void input_flow(HeadEffects& out);
  [[nodiscard]] bool all_prepared() const;
  [[nodiscard]] bool greeted(base::NodeIndex node) const;
  [[nodiscard]] const std::string& host(base::NodeIndex node) const { return hosts_.name(node); }
  [[nodiscard]] const PlacedWorld& first_world() const { return wireup_.world(1); }
  [[nodiscard]] base::Duration since_start() const;

  HeadInput input_;
  State state_ = State::opening;
  base::Instant now_{};
  base::Instant started_at_{};
  Hosts hosts_;
  std::vector<Node> nodes_;
  Ranks ranks_;
  TimeLimit time_limit_;
  std::optional<base::Instant> servers_end_at_;  // when only servers are left
  std::optional<base::Instant> give_up_at_;      // then agents that have not stopped are lost
  bool shared_told_ = false;                     // that MPI will have too little of it
  bool interrupted_before_ = false;
  bool stop_sent_ = false;
  bool hastened_ = false;
  std::int32_t stop_signal_ = 0;
  plan::Rendezvous where_;  // once every host has greeted
  InputFlow stdin_;
  Wireup wireup_;
  std::optional<PmixHead> pmix_;  // none: ranks are not served PMIx
  Spawns spawns_;
  std::uint32_t round_ = 0;
  std::optional<base::Instant> stopped_at_;  // when the first Stop was sent
  Verdict verdict_;
};

}  // namespace muster::machine
