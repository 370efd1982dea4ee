// HostTasks: the tasks of this host; performs the agent machine's effects with the guard and pipes.
// The head has one for the ranks that run beside it, and each agent has one. It is large: every
// effect of the machine has a function, and all that runs on a host hangs on one guard.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/device_listing.hpp"
#include "host/error_files.hpp"
#include "host/launcher_links.hpp"
#include "host/launcher_socket.hpp"
#include "host/memory_of_tasks.hpp"
#include "host/pmi_tasks.hpp"
#include "host/pmix_tasks.hpp"
#include "host/pump.hpp"
#include "host/readable_set.hpp"
#include "host/stacks.hpp"
#include "host/task_input.hpp"
#include "host/task_output.hpp"
#include "machine/agent_machine.hpp"
#include "probe/claims.hpp"
#include "probe/probe.hpp"
#include "process/guard.hpp"
#include "process/removals.hpp"

namespace muster::host {

struct HostTasksEvents {
  std::function<void(wire::ToHead)> to_head;
  std::function<void(base::Rank, wire::Stream, std::string_view)> output;
  std::function<bool(base::Duration lease)> head_answers;  // as HeadSeen says; asked on an agent
  std::function<void(const std::string& why)> drop_link;
  std::function<void()> quit;
  // Wardens of other runs, whose processes are not ours.
  std::function<std::set<pid_t>()> others = [] { return std::set<pid_t>(); };
};

class HostTasks {
 public:
  // `own_environment`: this process's, "NAME=VALUE". `removals` live longer than one run's tasks.
  HostTasks(asio::io_context& loop, process::Removals& removals, process::GuardProcess guard,
            machine::AgentOptions options, std::vector<std::string> own_environment,
            HostTasksEvents events);
  ~HostTasks();
  HostTasks(const HostTasks&) = delete;
  HostTasks& operator=(const HostTasks&) = delete;

  // Before it is destroyed, where nobody takes our end for the guard's: the guard vanishes while we
  // go on, until process::wait_for_guards().
  void leave_guard() { guard_.leave(); }

  // Launchers in ranks shall ask the head for hosts, unless there is one above this process that
  // they can ask. Before the first orders.
  void serve_launchers() { serves_launchers_ = true; }

  // Ranks have this process's stdin as theirs, unless they are sent input. Before the first orders.
  void share_stdin() { shares_stdin_ = true; }

  void feed(machine::AgentEvent event) { pump_.feed(std::move(event)); }

 private:
  struct Streams {
    std::shared_ptr<TaskOutput> out;
    std::shared_ptr<TaskOutput> err;
    std::shared_ptr<TaskInput> in;
  };

  // What the ranks of one app here have in common.
  struct Program {
    std::string path;
    std::string outside;  // as in wire::Prepared
    std::map<std::string, std::string> environment;
    bool hooked = false;  // Python, whose exceptions the report shall show
    bool wired = false;   // `environment` has what wire-up tells all ranks
    // `environment` without the names that the last rank started set for itself: as a rule all do
    // the same.
    std::vector<std::string> own_names;
    std::shared_ptr<const process::EnvironmentBlock> common;
  };

  // A world's orders for this host.
  struct World {
    machine::HostOrders orders;
    std::vector<Program> programs;  // index: app
    MemoryOfTasks memory = {};
    bool library_asked = false;  // which MPI library a rank of it has loaded here
  };
  struct Ordered {  // points into worlds_
    World* world = nullptr;
    const machine::TaskOrder* task = nullptr;
  };

  [[nodiscard]] model::Circumstances look_around() const;
  [[nodiscard]] static base::Result<void> bind_memory(World& world);
  void take(base::Instant now, machine::AgentEvent event);
  void perform(machine::ToHead& effect);
  void add_what_it_told(wire::Exited& exited);
  void perform(machine::ReadTopology&);
  void perform(machine::ClaimPorts& effect);
  void perform(machine::BeginRound&);
  void perform(machine::Check& effect);
  void check(machine::HostOrders orders);
  void perform(machine::SetGuard& effect);
  void perform(machine::StartTask& effect);
  void perform(machine::SignalTask& effect);
  void perform(machine::TraceTask& effect);
  void perform(machine::WriteInput& effect);
  void perform(machine::CloseInput& effect);
  void perform(machine::AddCredit& effect);
  void perform(machine::ToWireup& effect);
  void perform(machine::AnswerLauncherHere& effect);
  void perform(machine::Sweep&);
  void perform(machine::DrainStreams&);
  void perform(machine::DiscardOutput&);
  void perform(machine::LookForHead& effect) {
    feed(machine::HeadSeen{events_.head_answers(effect.lease)});
  }
  void perform(machine::DropLink& drop);
  void perform(machine::Quit&);

  [[nodiscard]] process::GuardEvents guard_events();
  [[nodiscard]] std::vector<std::string> own_environment(const Ordered& ordered);
  [[nodiscard]] bool wants_error_file(const World& world, const machine::TaskOrder& task) const;
  [[nodiscard]] std::vector<std::string> error_file(const Ordered& ordered);
  static void lay_out_common(Program& program, const std::vector<std::string>& own);
  World& keep(machine::HostOrders orders);
  [[nodiscard]] base::Result<Program> program(const machine::AppOrder& app,
                                              const model::EnvironmentRule& rule) const;
  void pmix_spawned(const process::Spawned& spawned);
  [[nodiscard]] base::Error why_not_started(base::Rank rank, int error) const;
  [[nodiscard]] base::Result<void> make_launchers(const machine::HostOrders& orders);
  void find_head_above();
  [[nodiscard]] base::Result<void> read_programs(World& world) const;
  [[nodiscard]] base::Result<void> write_hostfile(const machine::HostOrders& orders);
  [[nodiscard]] base::Result<void> serve_wireup(const machine::HostOrders& orders);
  [[nodiscard]] base::Result<void> check_room(const World& world) const;
  base::Result<void> hold_port(std::uint16_t port);
  [[nodiscard]] base::Result<void> serve_pmix(const machine::HostOrders& orders);
  [[nodiscard]] std::shared_ptr<TaskOutput> output(base::Rank rank, wire::Stream stream,
                                                   process::UniqueFd fd, std::uint32_t window);
  void spawn(const Ordered& ordered);
  void joined(base::Rank rank);
  void one_less_to_spawn();
  void end_streams(base::Rank rank);
  void listen();
  void close_streams();

  asio::io_context& loop_;
  process::Removals& removals_;
  machine::AgentMachine machine_;
  std::vector<std::string> own_environment_;
  HostTasksEvents events_;
  process::Guard guard_;
  ReadableSet readable_;  // streams and PMI conversations of the tasks
  Pump<machine::AgentEvent> pump_;

  std::map<std::uint32_t, World> worlds_;  // by number
  process::UniqueFd hostfile_;  // memory that AZUREML_MPI_HOSTFILE names; gone with this process
  std::optional<LauncherLinks> launchers_;  // when the job wants them
  bool serves_launchers_ = false;
  bool shares_stdin_ = false;
  std::unique_ptr<LauncherSocket> launcher_socket_;  // then
  std::string head_above_;  // the socket where launchers in ranks ask for hosts; empty: nowhere
  std::map<base::Rank, Ordered> order_of_;
  std::map<base::Rank, pid_t> pids_;  // of tasks that run
  std::map<base::Rank, Streams> streams_;
  ErrorFiles error_files_;
  std::unique_ptr<PmiTasks> pmi_;    // when the job wants it
  std::unique_ptr<PmixTasks> pmix_;  // likewise
  std::deque<base::Rank> unopened_;  // to be started; their pipes are made when the guard has room
  std::size_t unspawned_ = 0;        // these, and those ordered and not yet a process
  std::vector<base::Rank> unheard_;  // ordered, and not yet listened to
  std::vector<probe::PortClaim> rank_ports_;
  probe::Claims claims_;
  std::unique_ptr<char[]> buffer_;  // kBufferBytes; its pages are there once they are read into
  process::UniqueFd port_claim_;    // of rounds after the first
  process::UniqueFd held_port_;     // at which torch's store will listen
  process::UniqueFd null_;
  // Once the ranks have been started.
  std::optional<model::MemoryCounters> memory_before_;
  bool discarding_ = false;  // output is not wanted any more
  Stacks stacks_;
  DeviceListing devices_;
};

}  // namespace muster::host
