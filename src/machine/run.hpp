// Run: one execution of a job, from its hosts' greetings to the report. Knows no links: it requests
// the hosts of its plan, hears what happens to them, and gives them back.
//
//   opening ──every host greeted──▶ preparing ──every host prepared──▶ running
//   opening, preparing, running ──failure, signal, time limit──▶ stopping
//   running ──every rank ended──▶ stopping ──every host stopped or gone──▶ over
//   stopping ──a rank failed, restarts are left, every host stopped──▶ opening: another round
//
// A survey ends once every host has greeted: opening ──▶ over. So does a run whose agents show that
// two of its hosts are one; it must be planned again (RunReport::same_hosts).
//
// A node:  waiting ──up()──▶ up ──greeted()──▶ greeted ──Prepared──▶ prepared ──(Start)──▶ running
//          ──Stopped──▶ stopped; from any state ──lost()──▶ gone
//
// The first failure decides cause and exit code; what follows from the ending itself (our signal,
// links that close) never replaces it. Nothing starts on any host before every host is prepared.
// Hosts that fail before that are told of together: the run ends when no other one is waited for,
// or soon after the first.
//
// While it runs, ranks may spawn worlds of more ranks, one world at a time:
//
//   Spawn ──▶ asked of hosts ──all Prepared──▶ started; one Declined ──▶ dropped
//               ◀── asked again, of others, when one has Stopped
//
// A spawn that cannot be satisfied is the spawner's error, not the job's. Spawned ranks count like
// all others from then on; what comes once the job is ending is left unanswered.
//
// Ranks may be spawned on hosts that have had none. Such a host joins: its node is new, goes the
// same way but for (Start), which comes for it alone, and the spawn waits until all that it calls
// have greeted. Until it is told to start, a host that has joined is idle: when it is lost, the
// spawn that needs it fails, the job continues without it, and it is not asked to join again. Idle
// hosts leave with the last busy one.
//
// A run may hold hosts that its own ranks do not use (RunInput::holds_spare), for launchers that
// they call. Such a host joins at the start, and is idle from then on; but nothing starts before
// all that are held have greeted.
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
#include "machine/end_wish.hpp"
#include "machine/host_clock.hpp"
#include "machine/input_flow.hpp"
#include "machine/mpi_libraries.hpp"
#include "machine/orders.hpp"
#include "machine/placed_world.hpp"
#include "machine/pmix_head.hpp"
#include "machine/ranks.hpp"
#include "machine/run_effects.hpp"
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

struct RunInput {
  model::JobSpec spec;
  model::Plan plan;
  plan::Kept kept;
  std::string job;          // random, names the job on every host
  std::string secret = {};  // random too, told to the job's own ranks alone
  // When the time limit ends the job, for MUSTER_DEADLINE: see plan::deadline().
  std::optional<std::int64_t> deadline = {};
  // Starts of the batch job around before this one, which ranks count as restarts.
  std::uint32_t starts_before = 0;
  // Only greet the hosts and learn their hardware: nothing is prepared or started.
  bool survey = false;
  // The plan's spare hosts are greeted first, and kept until the run is over.
  bool holds_spare = false;
  // Of the head's first run. Above kFirstRun where links have carried runs of an earlier head.
  base::RunIndex number = base::kFirstRun;
  // Links that no run uses any more are kept, for another head or for this one: see KeepLink.
  bool keeps_links = false;
  bool operator==(const RunInput&) const = default;
};

class Run {
 public:
  enum class State : std::uint8_t { opening, preparing, running, stopping, over };
  struct Status {
    State state = State::opening;
    std::uint32_t round = 0;
    std::uint32_t ranks = 0;  // of all worlds
    std::uint32_t ended = 0;  // of these
    WireupStatus wireup;      // who keeps whom waiting
    Spawns::Status spawns;
  };

  explicit Run(RunInput input);

  void start(base::Instant now, RunEffects& out);

  // ---- what happens to its hosts
  // Its agent has spoken.
  void up(base::NodeIndex node, RunEffects& out);
  void greeted(base::NodeIndex node, model::HostFacts facts,
               const std::optional<model::SharedMemory>& shared, base::Instant now,
               RunEffects& out);
  // It cannot be reached, and has no link.
  void missed(base::NodeIndex node, base::Error error, base::Instant now, RunEffects& out);
  // It has greeted, and cannot be used.
  void unfit(base::NodeIndex node, base::Error error, base::Instant now, RunEffects& out);
  // Nothing more will be heard of it.
  void lost(base::NodeIndex node, base::Error error, base::Instant now, RunEffects& out);
  // All else that its agent says. `clock`: the host's.
  void heard(base::NodeIndex node, wire::ToHead message, const HostClock& clock, base::Instant now,
             RunEffects& out);
  // Bytes of a rank's stderr.
  void printed(base::NodeIndex node, base::Rank rank, const std::string& errors);

  // ---- people, and time
  // A second time: at once.
  void interrupt(std::int32_t number, base::Instant now, RunEffects& out);
  // The run that it was begun within is over: it ends too, unless it is about to.
  void outer_over(base::Instant now, RunEffects& out);
  // To all its ranks.
  void signal(std::int32_t number, RunEffects& out) const;
  void input(const std::string& bytes, RunEffects& out);
  void input_ended(RunEffects& out);
  void output_closed(base::Instant now, RunEffects& out);
  void allocation_ends(const AllocationEnds& told, base::Instant now);
  void gloo_served(base::Result<GlooServed::At> at, base::Instant now, RunEffects& out);
  void gloo_joined(const GlooJoined& event, base::Instant now);
  void tick(base::Instant now, RunEffects& out);
  [[nodiscard]] std::optional<base::Instant> deadline() const;

  // ---- what is known
  [[nodiscard]] bool over() const { return state_ == State::over; }
  // It is to be reached.
  [[nodiscard]] bool needs(base::NodeIndex node) const {
    return nodes_[node.value].state == NodeState::waiting && !nodes_[node.value].failed;
  }
  // Its Welcome is expected.
  [[nodiscard]] bool awaits(base::NodeIndex node) const;
  // Its silence is a loss: it has ranks, or may have them yet.
  [[nodiscard]] bool keeps(base::NodeIndex node, base::Instant now) const;
  // First credit of each output stream of the first world, bytes.
  [[nodiscard]] std::uint32_t window() const;
  // A host of the job that no node is, if one may be meant.
  [[nodiscard]] std::optional<model::Host> in_reserve(const model::Host& called) const;
  [[nodiscard]] model::RunReport report() const;
  [[nodiscard]] Status status() const;
  // Asserts what holds between two calls; takes time that grows with the run, so only tests ask.
  void check() const;
  bool operator==(const Run&) const = default;

 private:
  enum class NodeState : std::uint8_t { waiting, up, greeted, prepared, running, stopped, gone };
  struct Node {
    NodeState state = NodeState::waiting;
    std::uint32_t taken = 0;  // how often its agent has said that its claims are taken
    bool claims_devices = true;
    bool joined = false;          // for spawned ranks, or has been greeted again for them
    bool away = false;            // its link has ended since it stopped
    bool failed = false;          // before ranks could start there: it is one of failed_
    bool refused = false;         // its agent ends its ranks, whatever becomes of the others
    std::uint32_t busy = 0;       // its ranks that have not ended
    std::string outside = {};     // as in wire::Prepared
    std::string no_memory = {};   // likewise
    std::string unanswered = {};  // likewise
    std::optional<model::HostFacts> facts = {};
    std::optional<model::SharedMemory> shared = {};
    bool operator==(const Node&) const = default;
  };
  // Hosts that failed on the way up.
  struct FailedHosts {
    std::vector<base::Error> errors;  // as heard
    std::string first;
    base::Instant told_at{};  // at the latest
    bool operator==(const FailedHosts&) const = default;
  };
  // When and how all ranks were told to end.
  struct Stopping {
    base::Instant at{};  // when, first
    std::int32_t signal = 0;
    bool at_once = false;  // by now
    bool operator==(const Stopping&) const = default;
  };

  void check_counts() const;
  void check_nodes() const;
  void check_parts() const;
  void hear(base::NodeIndex node, wire::Welcome&, RunEffects& out);
  void hear(base::NodeIndex node, wire::Prepared& message, RunEffects& out);
  void tell_outside(RunEffects& out) const;
  void tell_no_memory(RunEffects& out) const;
  void tell_unanswered(RunEffects& out) const;
  void hear(base::NodeIndex node, wire::Taken& message, RunEffects& out);
  bool leave_devices(base::NodeIndex node, const std::vector<model::Devices>& taken,
                     RunEffects& out);
  void hear(base::NodeIndex node, wire::Refused& message, RunEffects& out);
  void hear(base::NodeIndex node, wire::Started& message, RunEffects& out);
  void hear(base::NodeIndex node, wire::Output&, RunEffects& out);
  void hear(base::NodeIndex node, wire::OutputEnd&, RunEffects& out);
  void exited(base::NodeIndex node, wire::Exited& message, const HostClock& clock, RunEffects& out);
  void hear(base::NodeIndex node, wire::InputCredit& message, RunEffects& out);
  void hear(base::NodeIndex node, wire::FenceIn& message, RunEffects& out);
  void hear(base::NodeIndex node, wire::Aborted& message, RunEffects& out);
  void hear(base::NodeIndex node, wire::Attendance& message, RunEffects& out);
  void hear(base::NodeIndex node, wire::NameAsk& message, RunEffects& out);
  void hear(base::NodeIndex node, wire::PmixUp& message, RunEffects& out);
  void hear(base::NodeIndex node, wire::Spawn& message, RunEffects& out);
  void hear(base::NodeIndex node, wire::Traced& message, RunEffects& out);
  void hear(base::NodeIndex node, wire::Declined& message, RunEffects& out);
  void hear(base::NodeIndex node, wire::Stopped& message, RunEffects& out);
  void hear(base::NodeIndex node, wire::Pong&, RunEffects& out);
  void hear(base::NodeIndex node, wire::FromLauncher&, RunEffects& out);
  void hear(base::NodeIndex node, wire::Reached&, RunEffects& out);
  void hear(base::NodeIndex node, wire::Unreached&, RunEffects& out);

  void tell(model::RunEvent event, RunEffects& out) const;
  void warn(std::string text, RunEffects& out) const;
  void reach(model::Phase phase, RunEffects& out) const;
  // "rank 3 on node1"
  [[nodiscard]] std::string name_of(base::Rank rank) const;
  [[nodiscard]] bool may_restart(base::Instant now) const;
  void greet(base::NodeIndex node, RunEffects& out);
  void begin_round(RunEffects& out);
  void forget_round();
  void end_input(RunEffects& out) const;
  void prepare_all(RunEffects& out);
  [[nodiscard]] std::string leave_claimed_devices();
  void serve_gloo(RunEffects& out);
  void order_all(RunEffects& out);
  [[nodiscard]] OrdersFor first_orders() const;
  // `fed`: all ranks that get input, sorted.
  void prepare(base::NodeIndex node, const std::vector<base::Rank>& fed, RunEffects& out) const;
  void tell_networks(const plan::Rendezvous& where, RunEffects& out) const;
  void tell_network(base::NodeIndex node, const plan::Rendezvous& where, std::size_t place,
                    RunEffects& out) const;
  void part(RunEffects& out);
  void start_all(RunEffects& out);
  void blame(std::int32_t number);
  void fault(base::Error error, const std::string& host, RunEffects& out);
  void fail_on_the_way(base::NodeIndex node, base::Error error, RunEffects& out);
  void tell_failed_hosts(RunEffects& out);
  [[nodiscard]] bool may_hear_of_others() const;
  void stop_all(std::int32_t number, base::Duration grace, RunEffects& out);
  void stop_node(base::NodeIndex node, std::int32_t number, base::Duration grace, RunEffects& out);
  void give_up(base::NodeIndex node, RunEffects& out);
  [[nodiscard]] bool failed_by_itself(const Death& death) const;
  [[nodiscard]] bool ended_by_its_agent(const Death& death) const;
  [[nodiscard]] bool told_in_time(const Death& death) const;
  [[nodiscard]] bool explains_abort(const Death& death) const;
  void note_failure(Death death);
  [[nodiscard]] bool ends_others(const model::RankExit& exit) const;
  void end_by(base::Rank rank, std::int32_t code, std::string why, RunEffects& out);
  void look_for_deserter(RunEffects& out);
  void tell_servers(PmixOrders orders, RunEffects& out) const;
  void tell_servers_of(const SpawnOutcome& ready, const AddWorld& added, RunEffects& out);
  void check_roll(RunEffects& out);
  void watch_roll(RunEffects& out);
  void tell_absent(RunEffects& out) const;
  [[nodiscard]] bool roll_matters() const;
  [[nodiscard]] std::vector<base::Rank> missing() const;
  [[nodiscard]] bool is_at(base::NodeIndex node, const std::string& address) const;
  [[nodiscard]] bool only_servers_left() const;
  void count_end(base::Rank rank, RunEffects& out);
  void forget_tasks(base::NodeIndex node, RunEffects& out);
  void next_spawn(RunEffects& out);
  [[nodiscard]] std::vector<SpawnSite> spawn_sites() const;
  void ask_hosts(const AskedSpawn& asked, const PlannedSpawn& made, RunEffects& out);
  [[nodiscard]] model::JobSpec spawn_spec(const PlannedSpawn& made) const;
  void conclude(Spawns::Outcome outcome, RunEffects& out);
  void start_spawned(const SpawnOutcome& ready, RunEffects& out);
  void call_hosts(AskedSpawn asked, const PlannedSpawn& made, RunEffects& out);
  [[nodiscard]] base::NodeIndex call_host(model::Host host, RunEffects& out);
  void greet_again(base::NodeIndex node, RunEffects& out);
  void hold_spare(RunEffects& out);
  // Those of its own ranks come first, then those that have joined.
  [[nodiscard]] std::uint32_t own_nodes() const {
    return static_cast<std::uint32_t>(first_world().nodes.size());
  }
  [[nodiscard]] const model::Plan& own_plan() const { return own_plan_ ? *own_plan_ : input_.plan; }
  // The same, for what is bound anew.
  [[nodiscard]] model::Plan& changed_plan() { return own_plan_ ? *own_plan_ : input_.plan; }
  [[nodiscard]] bool all_own_prepared() const;
  void host_missed(base::NodeIndex node, base::Error error, RunEffects& out);
  void dismiss_idle(RunEffects& out);
  [[nodiscard]] bool idle(base::NodeIndex node) const;
  [[nodiscard]] bool is_preparing(base::NodeIndex node) const;
  [[nodiscard]] bool may_go_on_without(base::NodeIndex node) const;
  [[nodiscard]] bool may_spawn_on(base::NodeIndex node) const;
  [[nodiscard]] bool may_greet_again(base::NodeIndex node) const;
  [[nodiscard]] std::string hostfile() const;
  [[nodiscard]] plan::Rendezvous meeting_point(const PlannedSpawn& made) const;
  void drop_spawn(const PlannedSpawn& made, RunEffects& out) const;
  void add_tasks(const PlannedSpawn& made);
  void refuse_spawn(const AskedSpawn& asked, const base::Error& why, RunEffects& out);
  void answer_spawn(base::NodeIndex asker, wire::Spawned answer, RunEffects& out) const;
  [[nodiscard]] std::uint32_t window_for(std::size_t ranks) const;
  [[nodiscard]] bool all_ended(base::NodeIndex node) const;
  [[nodiscard]] bool all_work_ended() const;
  [[nodiscard]] bool may_be_explained() const;
  void leave_when_stopped(RunEffects& out);
  [[nodiscard]] wire::Bye bye(base::NodeIndex node, const model::RunReport& report) const;
  void lose(base::NodeIndex node, base::Error error, RunEffects& out);
  void cut(base::NodeIndex node, std::string_view why, RunEffects& out);
  void give_notice(RunEffects& out);
  void time_is_up(RunEffects& out);
  void end_late(RunEffects& out);
  [[nodiscard]] bool shares_too_little(base::NodeIndex node) const;
  void warn_loaders(RunEffects& out) const;
  void warn_mpi(base::NodeIndex node, RunEffects& out);
  void compare_library(base::Rank rank, const std::string& library, RunEffects& out);
  void to_running(base::NodeIndex node, wire::ToAgent message, RunEffects& out) const;
  void to_all_running(const wire::ToAgent& message, RunEffects& out) const;
  [[nodiscard]] bool owns(base::NodeIndex node, base::Rank rank) const;
  [[nodiscard]] bool speaks_for_itself(base::NodeIndex node, const wire::ToHead& message) const;
  void input_flow(RunEffects& out);
  [[nodiscard]] bool all(NodeState state) const;
  [[nodiscard]] std::vector<std::optional<model::HostFacts>> all_facts() const;
  [[nodiscard]] const std::string& host(base::NodeIndex node) const {
    return input_.plan.nodes[node.value].host.name;
  }
  [[nodiscard]] const PlacedWorld& first_world() const { return wireup_.world(1); }

  RunInput input_;
  std::optional<model::Plan> own_plan_;  // without the hosts that are only held, where some are
  State state_ = State::opening;
  base::Instant now_{};
  base::Instant started_at_{};
  std::vector<Node> nodes_;
  Ranks ranks_;
  TimeLimit time_limit_;
  std::optional<base::Instant> servers_end_at_;  // when only servers are left
  std::optional<base::Instant> give_up_at_;      // then agents that have not stopped are lost
  bool shared_told_ = false;                     // that MPI will have too little of it
  EndWish wish_;                                 // of the user, or of whoever ends the job around
  std::optional<FailedHosts> failed_;
  std::optional<Stopping> stop_;
  plan::Rendezvous where_;  // once every host has greeted
  InputFlow stdin_;
  Wireup wireup_;
  MpiLibraries libraries_;
  std::optional<PmixHead> pmix_;  // none: ranks are not served PMIx
  Spawns spawns_;
  std::uint32_t round_ = 0;
  Verdict verdict_;
};

}  // namespace muster::machine
