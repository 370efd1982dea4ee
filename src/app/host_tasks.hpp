// HostTasks: the tasks of this host; performs the agent machine's effects with the guard and pipes.
// The head has one for the ranks that run beside it, and each agent has one.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/pmi_tasks.hpp"
#include "app/pmix_tasks.hpp"
#include "app/pump.hpp"
#include "app/task_input.hpp"
#include "app/task_output.hpp"
#include "machine/agent_machine.hpp"
#include "process/guard.hpp"

namespace muster::app {

struct HostTasksEvents {
  std::function<void(wire::ToHead)> to_head;
  std::function<void(base::Rank, wire::Stream, std::string_view)> output;
  std::function<void()> drop_link;
  std::function<void()> quit;
};

class HostTasks {
 public:
  // `own_environment`: this process's, "NAME=VALUE".
  HostTasks(asio::io_context& loop, process::GuardProcess guard, machine::AgentOptions options,
            std::vector<std::string> own_environment, HostTasksEvents events);
  ~HostTasks();
  HostTasks(const HostTasks&) = delete;
  HostTasks& operator=(const HostTasks&) = delete;

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
    std::map<std::string, std::string> environment;
    // `environment` without the names that the last rank started set for itself: as a rule all do
    // the same.
    std::vector<std::string> own_names;
    std::shared_ptr<const process::EnvironmentBlock> common;
  };

  void take(base::Instant now, machine::AgentEvent event);
  void perform(machine::ToHead& effect);
  void perform(machine::Check& effect);
  void perform(machine::KeepGrace& effect);
  void perform(machine::StartTask& effect);
  void perform(machine::SignalTask& effect);
  void perform(machine::WriteInput& effect);
  void perform(machine::CloseInput& effect);
  void perform(machine::AddCredit& effect);
  void perform(machine::ToWireup& effect);
  void perform(machine::Sweep&);
  void perform(machine::DrainStreams&);
  void perform(machine::DiscardOutput&);
  void perform(machine::DropLink&);
  void perform(machine::Quit&);

  [[nodiscard]] process::GuardEvents guard_events();
  [[nodiscard]] std::vector<std::string> own_environment(const wire::TaskOrder& task) const;
  static void lay_out_common(Program& program, const std::vector<std::string>& own);
  [[nodiscard]] base::Result<Program> program(const wire::AppOrder& app) const;
  [[nodiscard]] base::Result<void> read_programs();
  [[nodiscard]] base::Result<void> write_hostfile();
  [[nodiscard]] base::Result<void> serve_wireup();
  [[nodiscard]] base::Result<void> serve_pmix();
  [[nodiscard]] std::shared_ptr<TaskOutput> output(base::Rank rank, wire::Stream stream,
                                                   process::UniqueFd fd);
  void spawn(const wire::TaskOrder& task);
  void listen();

  asio::io_context& loop_;
  machine::AgentMachine machine_;
  std::vector<std::string> own_environment_;
  HostTasksEvents events_;
  process::Guard guard_;
  ReadableSet readable_;  // streams and PMI conversations of the tasks
  Pump<machine::AgentEvent> pump_;

  wire::Prepare orders_;
  std::vector<Program> programs_;  // index: app
  process::UniqueFd hostfile_;     // memory that AZUREML_MPI_HOSTFILE names; gone with this process
  std::map<base::Rank, const wire::TaskOrder*> order_of_;
  std::map<base::Rank, Streams> streams_;
  std::unique_ptr<PmiTasks> pmi_;    // when the job wants it
  std::unique_ptr<PmixTasks> pmix_;  // likewise
  std::size_t unspawned_ = 0;        // ordered, and not yet a process
  std::vector<char> buffer_;
  process::UniqueFd null_;
};

}  // namespace muster::app
