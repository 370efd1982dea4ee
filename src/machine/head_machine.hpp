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
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "base/time.hpp"
#include "machine/fences.hpp"
#include "machine/first_deaths.hpp"
#include "machine/host_clock.hpp"
#include "machine/opener.hpp"
#include "machine/orders.hpp"
#include "machine/pmix_head.hpp"
#include "machine/roll_call.hpp"
#include "machine/tail.hpp"
#include "model/job_spec.hpp"
#include "model/plan.hpp"
#include "model/report.hpp"
#include "model/world.hpp"
#include "plan/environment.hpp"
#include "plan/spawned.hpp"
#include "wire/messages.hpp"

namespace muster::machine {

// ---- events -----------------------------------------------------------------------------------

struct LinkUp {
  base::NodeIndex node;
};
struct LinkFailed {  // the carrier ended, or was ended, before the agent spoke
  base::NodeIndex node;
  base::Error error;
  Retry retry = Retry::no;
};
struct LinkLost {  // after LinkUp; expected once the agent has stopped
  base::NodeIndex node;
  base::Error error;
};
struct Heard {
  base::NodeIndex node;
  wire::ToHead message;
};
struct UserSignal {
  std::int32_t number = 0;
};
struct InputBytes {
  std::string bytes;
};
struct InputEnded {};
struct OutputClosed {};  // nobody reads our stdout any more
struct GlooServed {      // the answer to ServeGloo
  struct At {
    std::string address;
    std::uint16_t port = 0;
  };
  base::Result<At> at;
};
struct HeadTick {};

using HeadEvent = std::variant<LinkUp, LinkFailed, LinkLost, Heard, UserSignal, InputBytes,
                               InputEnded, OutputClosed, GlooServed, HeadTick>;

// ---- effects, to be performed in order --------------------------------------------------------

struct OpenLink {
  base::NodeIndex node;
};
// A host without ranks joins the run, as the node after all others. Comes before its OpenLink.
struct AddHost {
  base::NodeIndex node;
  model::Host host;
};
struct CloseLink {  // end the carrier; nothing more will be heard of it
  base::NodeIndex node;
};
struct ToNode {
  base::NodeIndex node;
  wire::ToAgent message;
};
// A world that was spawned. Comes before any of its ranks is started, and before its Spawned.
struct AddWorld {
  model::World world;
  std::vector<model::PlannedRank> ranks;  // by number in the world
  std::uint32_t window = 0;               // first credit of each of its output streams, bytes
};
// Serve the key-value store of a Horovod job's gloo; answered by GlooServed.
struct ServeGloo {
  std::string interface;  // of this machine; empty: the one with `address`
  std::string address;
  std::map<std::string, std::uint32_t> members;  // ranks of each scope
  std::set<std::string> hosts;                   // addresses of all hosts of the job
};
// All ranks will be started again.
struct NewRound {};
struct Say {  // one line for people, on stderr
  std::string text;
};
struct ReadInput {  // our stdin: go on reading, or pause
  bool on = false;
};
struct SuspendSelf {};  // after Ctrl-Z; comes back as UserSignal SIGCONT
struct Finish {};

using HeadEffect = std::variant<OpenLink, AddHost, CloseLink, ToNode, AddWorld, NewRound, ServeGloo,
                                Say, ReadInput, SuspendSelf, Finish>;
using HeadEffects = std::vector<HeadEffect>;

// ---- the machine ------------------------------------------------------------------------------

// A rank that has kept others waiting in MPI_Init for so long is named, a second after the agents
// have been asked who has come; and then once a minute.
inline constexpr base::Duration kAskRoll = std::chrono::seconds(9);
inline constexpr base::Duration kTellRoll = std::chrono::seconds(1);
inline constexpr base::Duration kNextRoll = std::chrono::seconds(59);

struct HeadInput {
  model::JobSpec spec;
  model::Plan plan;
  std::vector<plan::Forwarded> kept_here;    // for nodes on this machine; index: app
  std::vector<plan::Forwarded> kept_remote;  // for all others; index: app
  std::string job;                           // random, names the job on every host
  std::string secret = {};                   // random too, told to the job's own ranks alone
  // When the time limit ends the job, for MUSTER_DEADLINE: see plan::deadline().
  std::optional<std::int64_t> deadline = {};
  // PMI_process_mapping of a world's plan; may be empty.
  std::function<std::string(const model::Plan&)> mapping;
  // Only greet the hosts and learn their hardware: nothing is prepared or started.
  bool survey = false;
};

class HeadMachine {
 public:
  explicit HeadMachine(HeadInput input);

  void start(base::Instant now, HeadEffects& out);
  void step(base::Instant now, HeadEvent event, HeadEffects& out);
  // Bytes came from a node outside of messages: it is not silent.
  void alive(base::NodeIndex node, base::Instant now);
  // Bytes of a rank's stderr, for the report's last lines.
  void remember(base::Rank rank, std::string_view stderr_bytes);
  [[nodiscard]] std::optional<base::Instant> deadline() const;
  // True once every byte of every stream has been announced as ended and Finish was given.
  [[nodiscard]] bool finished() const { return state_ == State::finished; }
  // First credit of each output stream of the first world, bytes.
  [[nodiscard]] std::uint32_t window() const;
  [[nodiscard]] model::RunReport report() const;
  // What the host of a node told in its greeting, if it has come.
  [[nodiscard]] const std::optional<model::HostFacts>& facts(base::NodeIndex node) const {
    return nodes_[node.value].facts;
  }

 private:
  enum class State { opening, preparing, running, stopping, leaving, finished };
  enum class NodeState { waiting, up, greeted, prepared, running, stopped, gone };
  struct Node {
    NodeState state = NodeState::waiting;
    base::Instant heard{};
    std::optional<model::HostFacts> facts;
    std::optional<model::SharedMemory> shared = {};
    std::string last_error;   // why the last attempt failed
    bool link = false;        // a carrier may be alive
    std::uint32_t taken = 0;  // how often its agent has said that cpus are taken
    bool joined = false;      // for spawned ranks, or has been greeted again for them
    std::uint32_t busy = 0;   // its ranks that have not ended
    HostClock clock;
    base::Instant greeted_at{};           // when the last Hello left
    std::deque<base::Instant> pinged_at;  // of Pings without an answer
  };
  struct Task {
    std::int32_t pid = 0;
    bool ended = false;
  };

  // A world and where it runs.
  struct Party {
    model::World world;
    std::string name;     // of its PMI key-value space
    std::string mapping;  // PMI_process_mapping
    // Index in the spec: the program of its eldest ancestor, whose environment and folder go along.
    std::uint32_t root = 0;
    std::vector<base::NodeIndex> nodes;  // ascending; where the nodes of its own plan are
    Fences fences;
  };
  // A world that hosts have been asked to prepare.
  struct Spawning {
    base::NodeIndex asker;
    wire::Spawn order;
    Party party;
    model::Plan plan;  // its own: ranks from 0, only its nodes
    std::vector<model::App> apps;
    std::set<base::NodeIndex> awaited;     // that have not answered
    std::optional<base::Error> refusal;    // the first
    bool host_ended = false;               // one of its hosts did, before it could start there
    std::set<std::size_t> called = {};     // hosts that must join first; index: Plan::spare
    std::set<base::NodeIndex> woken = {};  // hosts whose ranks have ended, to be greeted again
    [[nodiscard]] bool needs_hosts() const { return !called.empty() || !woken.empty(); }
  };
  // A spawn that waits for hosts to join.
  struct Joining {
    base::NodeIndex asker;
    wire::Spawn order;
    std::set<base::NodeIndex> awaited;   // that have neither greeted nor failed
    std::optional<base::Error> refusal;  // the first
  };

  void on(LinkUp& event, HeadEffects& out);
  void on(LinkFailed& event, HeadEffects& out);
  void on(LinkLost& event, HeadEffects& out);
  void on(Heard& event, HeadEffects& out);
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

  [[nodiscard]] wire::Hello hello(base::NodeIndex node) const;
  [[nodiscard]] bool may_restart() const;
  void begin_round(HeadEffects& out);
  void forget_round();
  void note_round();
  void end_input(HeadEffects& out);
  void open_due(HeadEffects& out);
  void end_overdue(HeadEffects& out);
  void prepare_all(HeadEffects& out);
  [[nodiscard]] std::vector<std::optional<model::HostFacts>> all_facts() const;
  void serve_gloo(HeadEffects& out);
  [[nodiscard]] std::set<std::string> addresses_of_hosts() const;
  void order_all(HeadEffects& out);
  [[nodiscard]] wire::Prepare first_orders(base::NodeIndex node,
                                           const plan::Rendezvous& where) const;
  [[nodiscard]] wire::Wireup wireup(const Party& party) const;
  void tell_networks(const plan::Rendezvous& where, HeadEffects& out) const;
  void tell_network(base::NodeIndex node, const plan::Rendezvous& where, std::size_t place,
                    HeadEffects& out) const;
  void part(HeadEffects& out);
  void start_all(HeadEffects& out);
  void fault(base::Error error, const std::string& host, HeadEffects& out);
  void stop_all(std::int32_t number, base::Duration grace, HeadEffects& out);
  void stop_node(base::NodeIndex node, std::int32_t number, base::Duration grace, HeadEffects& out);
  void give_up(base::NodeIndex node, HeadEffects& out);
  void greet(base::NodeIndex node, HeadEffects& out);
  void ping(base::NodeIndex node, HeadEffects& out);
  [[nodiscard]] bool failed_by_itself(const Death& death) const;
  void note_failure(Death death);
  void count_code(const model::RankExit& exit);
  void settle_first();
  void fill_others(model::RunReport& report) const;
  [[nodiscard]] bool ends_others(const model::RankExit& exit) const;
  void end_by(base::Rank rank, std::int32_t code, std::string why, HeadEffects& out);
  void look_for_deserter(HeadEffects& out);
  void tell_servers(PmixOrders orders, HeadEffects& out) const;
  void tell_servers_of(const Spawning& made, const AddWorld& added, HeadEffects& out);
  void check_roll(HeadEffects& out);
  void watch_roll(HeadEffects& out);
  void tell_absent(HeadEffects& out) const;
  [[nodiscard]] bool roll_matters() const;
  [[nodiscard]] std::vector<base::Rank> missing() const;
  [[nodiscard]] bool only_servers_left() const;
  [[nodiscard]] bool serves(base::Rank rank) const;
  void count_end(base::Rank rank);
  void forget_tasks(base::NodeIndex node);
  void next_spawn(HeadEffects& out);
  [[nodiscard]] base::Result<Spawning> plan_spawn(base::NodeIndex asker, wire::Spawn order) const;
  [[nodiscard]] base::Result<std::vector<base::NodeIndex>> place_spawn(Spawning& made) const;
  [[nodiscard]] base::Result<std::vector<plan::SpawnWish>> read_spawn(Spawning& made) const;
  void settle(Spawning& made, const std::vector<base::NodeIndex>& nodes) const;
  void ask_hosts(HeadEffects& out);
  [[nodiscard]] wire::Prepare spawn_orders(const OrdersFor& world, base::NodeIndex node) const;
  void spawn_answered(base::NodeIndex node, std::uint32_t world, HeadEffects& out);
  void conclude_spawn(HeadEffects& out);
  void call_hosts(base::NodeIndex asker, Spawning& made, HeadEffects& out);
  void call_host(model::Host host, HeadEffects& out);
  void wake_host(base::NodeIndex node, HeadEffects& out);
  void host_joined(base::NodeIndex node, HeadEffects& out);
  void host_missed(base::NodeIndex node, base::Error error, HeadEffects& out);
  void conclude_joining(HeadEffects& out);
  void dismiss_idle(HeadEffects& out);
  [[nodiscard]] bool idle(base::NodeIndex node) const;
  [[nodiscard]] bool may_spawn_on(base::NodeIndex node) const;
  [[nodiscard]] bool may_wake(base::NodeIndex node) const;
  void introduce(base::NodeIndex node, wire::Prepare& prepare) const;
  [[nodiscard]] std::string hostfile() const;
  [[nodiscard]] bool opens_links() const;
  [[nodiscard]] plan::Rendezvous meeting_point(const Spawning& made) const;
  void drop_spawn(const Spawning& made, HeadEffects& out) const;
  void add_tasks(const Spawning& made);
  void refuse_spawn(base::NodeIndex asker, const wire::Spawn& order, const base::Error& why,
                    HeadEffects& out);
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
  void tell_progress(HeadEffects& out);
  [[nodiscard]] bool shares_too_little(base::NodeIndex node) const;
  void warn_loaders(HeadEffects& out) const;
  void warn_mpi(base::NodeIndex node, HeadEffects& out);
  void to_all_running(const wire::ToAgent& message, HeadEffects& out);
  void to_all_leased(const wire::ToAgent& message, HeadEffects& out);
  [[nodiscard]] bool leased(base::NodeIndex node) const;
  [[nodiscard]] bool speaks_for_itself(const Heard& event) const;
  void send_input(const std::string& bytes, HeadEffects& out);
  void input_flow(HeadEffects& out);
  [[nodiscard]] std::vector<base::Rank> input_ranks() const;
  [[nodiscard]] bool every_node(NodeState at_least) const;
  [[nodiscard]] const std::string& host(base::NodeIndex node) const;
  [[nodiscard]] bool remote(base::NodeIndex node) const;
  [[nodiscard]] base::Duration since_start() const;

  HeadInput input_;
  State state_ = State::opening;
  base::Instant now_{};
  base::Instant started_at_{};
  Opener opener_;
  std::vector<Node> nodes_;
  std::vector<Task> tasks_;
  std::vector<Tail> tails_;
  std::uint32_t ended_ = 0;    // ranks
  std::uint32_t running_ = 0;  // ranks with a process
  std::uint32_t awaited_ = 0;  // ranks of the first world that have not ended and do not serve
  std::optional<base::Instant> next_ping_;
  std::optional<base::Instant> next_progress_;
  std::optional<base::Instant> timeout_at_;
  std::optional<base::Instant> notice_at_;       // none once it has been given
  std::optional<base::Instant> servers_end_at_;  // when only servers are left
  std::optional<base::Instant> give_up_at_;      // then agents that have not stopped are lost
  bool tracing_ = false;        // time is up, and ranks are asked what they are doing
  std::uint32_t untraced_ = 0;  // ranks that have not answered
  bool shared_told_ = false;    // that MPI will have too little of it
  bool interrupted_before_ = false;
  bool stop_sent_ = false;
  bool hastened_ = false;
  std::int32_t stop_signal_ = 0;
  plan::Rendezvous where_;                 // once every host has greeted
  std::vector<std::uint64_t> input_sent_;  // per rank; only ranks that get input are counted
  std::vector<std::uint64_t> input_taken_;
  std::vector<Party> parties_;                                  // index: number of the world - 1
  std::deque<std::pair<base::NodeIndex, wire::Spawn>> spawns_;  // not looked at yet
  std::optional<Spawning> spawning_;
  std::optional<Joining> joining_;
  std::map<std::string, std::string> names_;  // MPI_Publish_name: service to port
  std::optional<PmixHead> pmix_;              // none: ranks are not served PMIx
  RollCall roll_;
  // Ranks that keep others waiting are asked for and then named, again and again.
  base::Duration roll_patience_ = kAskRoll;
  bool roll_asked_ = false;
  std::uint32_t round_ = 0;
  std::optional<base::Instant> stopped_at_;  // when the first Stop was sent
  bool reading_input_ = false;
  bool input_ended_ = false;
  std::vector<model::RankExit> failures_;  // of ranks that nobody had ended, as heard
  FirstDeaths deaths_;                     // likewise
  model::RunReport report_;
};

}  // namespace muster::machine
