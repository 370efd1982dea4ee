// AgentMachine: the life of the tasks of one host, from the head's first message to the last
// sweep.
//
//   checking ──Checked: cpus are taken──▶ greeted ──Prepare──▶ checking
//   fresh ──Hello──▶ greeted ──Prepare──▶ checking ──Checked──▶ ready ──Start──▶ running
//   running ──Stop, link gone, start failed──▶ ending ──grace over──▶ sweeping
//   running, ending ──last task ended──▶ sweeping ──SweepDone──▶ draining ──streams ended──▶ done
//   fresh … ready, done ──link gone, Bye──▶ quit
//
// A Hello to an agent that is done begins another round: done ──Hello──▶ greeted.
//
// A Prepare refers to the World that came last. While tasks run, a Prepare for another world adds
// planned tasks, which wait for its Start or Drop; a host that has planned tasks does not sweep.
// Whatever ends the tasks drops the planned ones. A host that joins for such a world gets it as its
// first Prepare: greeted ──Start──▶ running.
//
// Awkward cases: a Stop before Start goes straight to done. A second Stop may only hasten the
// first. When the link goes while tasks run, they get SIGTERM, the shorter of the head's grace and
// kOrphanGrace, then SIGKILL; their output is discarded, since nobody reads it. Streams may end
// before or after their task. After the sweep, what the pipes still hold is read, without waiting
// for more. Without a link, no message is sent any more. A guard lost before Start refuses at once,
// or when the greeting comes, which says for which run; one lost after the last task has ended does
// no harm. An agent that nobody greets quits after kHelloTime.
//
// It is large: every message and event has a function, and one state decides for all its tasks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.hpp"
#include "base/time.hpp"
#include "machine/host_orders.hpp"
#include "machine/register.hpp"
#include "model/inventory.hpp"
#include "model/report.hpp"
#include "wire/messages.hpp"

namespace muster::machine {

inline constexpr base::Duration kOrphanGrace = std::chrono::seconds(5);
inline constexpr base::Duration kHelloTime =
    std::chrono::seconds(30);  // lease until the head greets

// ---- events -----------------------------------------------------------------------------------

struct LinkClosed {};
struct TopologyRead {  // the answer to ReadTopology
  base::Result<model::SharedTopology> topology;
};
struct PortsClaimed {  // the answer to ClaimPorts
  base::Result<std::vector<std::uint16_t>> ports;
};
struct RoundBegun {  // the answer to BeginRound
  std::uint16_t port = 0;
};
struct Checked {  // the answer to Check
  std::optional<base::Error> error;
  std::uint32_t world = 1;
  std::optional<wire::Taken> taken = {};  // other jobs hold these; no claim was made
  std::string outside = {};               // as in wire::Prepared
  std::string no_memory = {};             // likewise
  std::string unanswered = {};            // likewise
};
struct TaskSpawned {
  base::Rank rank;
  std::int32_t pid = 0;  // 0: not started
  base::Error error;     // why, then; does not name the rank
};
struct TaskEnded {
  model::RankExit exit;
  base::Instant at{};  // when the guard noticed; none: now
};
struct StreamEnded {
  base::Rank rank;
  wire::Stream stream = wire::Stream::out;
};
struct InputTaken {
  base::Rank rank;
  std::uint32_t bytes = 0;
};
struct TaskTraced {  // the answer to TraceTask
  wire::Traced traced;
};
struct SweepDone {
  std::vector<std::string> leftovers;
};
struct JoinedWorld {  // the task has called MPI_Init
  base::Rank rank;
  std::string library = {};  // as in wire::Attendance
};
struct WireupSays {  // the wire-up server of this host has something for the head
  wire::ToHead message;
};
struct LauncherSays {  // one that a task has called
  wire::FromLauncher message;
};
struct GuardLost {       // the adapter has swept the host already
  bool stopped = false;  // it was killed, since somebody had stopped it for a lease
};
struct HeadSeen {        // the answer to LookForHead
  bool answers = false;  // its machine does, or its process, on this machine, is not stopped
};
struct Tick {};  // the deadline has come

using AgentEvent =
    std::variant<wire::ToAgent, LinkClosed, TopologyRead, PortsClaimed, RoundBegun, Checked,
                 TaskSpawned, TaskEnded, StreamEnded, InputTaken, TaskTraced, SweepDone,
                 JoinedWorld, WireupSays, LauncherSays, GuardLost, HeadSeen, Tick>;

// ---- effects, to be performed in order --------------------------------------------------------

struct ToHead {  // in an Exited, `around` is for the adapter to fill when it is there
  wire::ToHead message;
};
struct ReadTopology {};  // of this host; answered by TopologyRead
struct ClaimPorts {      // free ones, until this agent ends; answered by PortsClaimed
  std::uint32_t count = 0;
};
struct BeginRound {};  // forget the last round's tasks, claim another port: answered by RoundBegun
struct Check {         // program and folder; keep the orders for StartTask
  HostOrders orders;
};
struct SetGuard {
  base::Duration grace{0};  // what it does by itself when we vanish: SIGTERM, this long, SIGKILL
  base::Duration lease{0};  // one that is stopped for so long is killed; 0: never
  bool watches_us = false;  // so are we then
};
struct StartTask {
  base::Rank rank;
};
struct SignalTask {  // to its process group
  base::Rank rank;
  std::int32_t number = 0;
};
struct TraceTask {  // answered by TaskTraced
  base::Rank rank;
  bool stack = false;
};
struct WriteInput {
  base::Rank rank;
  std::string bytes;
};
struct CloseInput {
  base::Rank rank;
};
struct AddCredit {
  base::Rank rank;
  wire::Stream stream = wire::Stream::out;
  std::uint32_t bytes = 0;
};
struct ToWireup {  // FenceOut, NameAnswer, Spawned or PmixDown, for the wire-up server of this host
  wire::ToAgent message;
};
struct AnswerLauncherHere {  // a launcher that a task has called
  wire::ToLauncher message;
};
struct Sweep {};          // SIGKILL everything that descends from the tasks; answered by SweepDone
struct DrainStreams {};   // from now on an empty pipe is an ended stream
struct DiscardOutput {};  // nobody reads it any more
// What has come from its machine in the last half of `lease`? Answered by HeadSeen.
struct LookForHead {
  base::Duration lease{0};
};
struct DropLink {
  std::string why;  // the head is silent
};
struct Quit {};

using AgentEffect = std::variant<ToHead, ReadTopology, ClaimPorts, BeginRound, Check, SetGuard,
                                 StartTask, SignalTask, TraceTask, WriteInput, CloseInput,
                                 AddCredit, ToWireup, AnswerLauncherHere, Sweep, DrainStreams,
                                 DiscardOutput, LookForHead, DropLink, Quit>;
using AgentEffects = std::vector<AgentEffect>;

// ---- the machine ------------------------------------------------------------------------------

struct AgentOptions {
  std::string version;
  model::HostFacts facts;
  bool leased = true;  // false inside the head, which cannot be silent to itself
  std::optional<model::SharedMemory> shared = {};
};

class AgentMachine {
 public:
  explicit AgentMachine(AgentOptions options) : options_(std::move(options)) {}

  void step(base::Instant now, AgentEvent event, AgentEffects& out);
  // Whether all that was to run has ended, or never came to run: what was ordered is void.
  [[nodiscard]] bool is_over() const { return state_ == State::done || state_ == State::quit; }
  // When the next Tick is due, at the latest.
  [[nodiscard]] std::optional<base::Instant> deadline() const;
  // Asserts what holds between two calls; takes time, so only tests ask.
  void check() const;

 private:
  enum class State {
    fresh,
    greeted,
    checking,
    ready,
    running,
    ending,
    sweeping,
    draining,
    done,
    quit
  };
  enum class Life { planned, waiting, running, ended };
  struct Task {
    Life life = Life::waiting;
    std::uint32_t world = 1;
    bool out_open = true;
    bool err_open = true;
  };

  void on(wire::ToAgent& message, AgentEffects& out);
  void on(LinkClosed&, AgentEffects& out);
  void on(TopologyRead& event, AgentEffects& out);
  void on(PortsClaimed& event, AgentEffects& out);
  void on(RoundBegun& event, AgentEffects& out);
  void on(Checked& event, AgentEffects& out);
  void on(TaskSpawned& event, AgentEffects& out);
  void on(TaskEnded& event, AgentEffects& out);
  void on(StreamEnded& event, AgentEffects& out);
  void on(InputTaken& event, AgentEffects& out);
  void on(TaskTraced& event, AgentEffects& out);
  void on(SweepDone& event, AgentEffects& out);
  void on(JoinedWorld& event, AgentEffects& out);
  void on(WireupSays& event, AgentEffects& out);
  void on(LauncherSays& event, AgentEffects& out);
  void on(GuardLost& event, AgentEffects& out);
  void on(HeadSeen& event, AgentEffects& out);
  void on(Tick&, AgentEffects& out);

  [[nodiscard]] base::Result<HostOrders> ordered(const wire::Prepare& own) const;
  [[nodiscard]] std::optional<base::Error> objection(const HostOrders& orders) const;
  [[nodiscard]] static std::optional<base::Error> objection(const wire::pmix::AddJob& add);
  void hear(wire::Hello& message, AgentEffects& out);
  void hear(wire::World& message, AgentEffects& out);
  void hear(wire::Prepare& message, AgentEffects& out);
  void hear(wire::Start& message, AgentEffects& out);
  void hear(wire::Drop& message, AgentEffects& out);
  void hear(wire::Spawned& message, AgentEffects& out);
  void hear(wire::Signal& message, AgentEffects& out);
  void hear(wire::Trace& message, AgentEffects& out);
  void hear(wire::Stop& message, AgentEffects& out);
  void hear(wire::Input& message, AgentEffects& out);
  void hear(wire::InputEnd& message, AgentEffects& out);
  void hear(wire::Credit& message, AgentEffects& out);
  void hear(wire::Suspend& message, AgentEffects& out);
  void hear(wire::FenceOut& message, AgentEffects& out);
  void hear(wire::NameAnswer& message, AgentEffects& out);
  void hear(wire::PmixDown& message, AgentEffects& out);
  void hear(wire::Ping&, AgentEffects& out);
  void hear(wire::Bye&, AgentEffects& out);
  void hear(wire::ToLauncher& message, AgentEffects& out);
  void hear(wire::Reach&, AgentEffects& out);
  void hear(wire::Release&, AgentEffects& out);
  void hear(wire::Contain&, AgentEffects& out);

  void welcome(AgentEffects& out);
  void begin_round(AgentEffects& out);
  void tell(wire::ToHead message, AgentEffects& out);
  void tell_attendance(std::vector<base::Rank> ranks, AgentEffects& out, std::string library = {});
  [[nodiscard]] bool may_add() const;
  void add_world(const wire::Prepare& message, AgentEffects& out);
  void world_checked(Checked& event, AgentEffects& out);
  void start_world(std::uint32_t world, AgentEffects& out);
  void forget_planned();
  void refuse_unguarded(AgentEffects& out);
  void refuse(base::Error error, AgentEffects& out);
  void signal_all(std::int32_t number, AgentEffects& out);
  void end_tasks(std::int32_t number, base::Duration grace, AgentEffects& out);
  void kill(AgentEffects& out);
  void sweep_when_all_ended(AgentEffects& out);
  void finish_when_drained(AgentEffects& out);
  void finish(AgentEffects& out);
  void quit(AgentEffects& out);
  [[nodiscard]] bool any(Life life) const;
  [[nodiscard]] bool all_ended();
  [[nodiscard]] bool all_drained();
  [[nodiscard]] bool has_processes() const;
  [[nodiscard]] std::optional<base::Instant> next_look() const;
  void listen_anew();
  void check_silence(AgentEffects& out);
  void murmur(AgentEffects& out);

  AgentOptions options_;
  State state_ = State::fresh;
  base::Instant now_{};
  base::Instant heard_{};
  base::Instant greeted_{};            // when the last Hello came
  base::Instant look_at_{};            // when the head's silence is next looked at
  base::Duration lease_ = kHelloTime;  // 0: none
  base::Duration grace_ = kOrphanGrace;
  bool suspended_ = false;
  bool link_open_ = true;
  bool guard_lost_ = false;
  bool guard_stopped_ = false;       // before it was lost
  base::NodeIndex node_;             // of the run's plan
  std::optional<wire::World> told_;  // the last, until its ranks start
  std::map<base::Rank, Task> tasks_;
  // All ranks below have ended, or have been read to the end, so that thousands that end one after
  // the other are not all looked at each time. Reset when tasks are added.
  base::Rank ended_below_, drained_below_;
  Register register_;
  std::optional<base::Instant> kill_at_;
  std::uint32_t killed_ = 0;
  std::vector<std::string> leftovers_;
};

}  // namespace muster::machine
