// PmiTasks: the PMI conversations of this host's tasks, each over one end of a socket pair.
//
// No port is opened and no file is made: a task's end is its inherited descriptor, so nobody else
// can speak for it. A task that breaks the protocol is reported as aborted; it never harms the
// others.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "host/readable_set.hpp"
#include "machine/host_orders.hpp"
#include "pmi/pmi_world.hpp"
#include "process/unique_fd.hpp"
#include "wire/messages.hpp"

namespace muster::host {

class PmiTasks {
 public:
  struct Events {
    std::function<void(wire::ToHead)> to_head;
    std::function<void(base::Rank)> joined;  // the task has called MPI_Init
  };

  PmiTasks(ReadableSet& readable, Events events)
      : readable_(readable), events_(std::move(events)) {}
  ~PmiTasks();
  PmiTasks(const PmiTasks&) = delete;
  PmiTasks& operator=(const PmiTasks&) = delete;

  // A world and those of its tasks that run here. Takes the place of one with the same number,
  // none of whose tasks has been opened.
  void add(const machine::WireupOrders& wireup, const std::vector<machine::TaskOrder>& tasks);
  // The task's end of its conversation; close it once the task has it.
  [[nodiscard]] base::Result<process::UniqueFd> open(base::Rank rank);
  // Hears the task, which has been opened; once.
  void listen(base::Rank rank);
  // Variables that name the descriptor to the task: those of all tasks of its world, and its own.
  [[nodiscard]] std::vector<wire::NameValue> shared_variables(base::Rank rank) const;
  [[nodiscard]] std::string own_variable(base::Rank rank) const;
  // What the task has sent and we have not read yet: its exit may be known before its last
  // messages.
  void hear_out(base::Rank rank);
  // The task has ended. One that took part and left without MPI_Finalize has failed, even with
  // exit code 0.
  void ended(base::Rank rank);
  // FenceOut, NameAnswer or Spawned.
  void hear(const wire::ToAgent& message);

 private:
  class Talk;
  // A PmiWorld numbers its ranks from 0; everybody else numbers those of the whole run.
  struct World {
    pmi::PmiWorld pmi;
    std::uint32_t number = 1;
    base::Rank first;
    std::uint32_t size = 1;
    [[nodiscard]] base::Rank own(base::Rank rank) const {
      return base::Rank(rank.value - first.value);
    }
    [[nodiscard]] base::Rank of_run(base::Rank own) const {
      return base::Rank(first.value + own.value);
    }
  };
  // Who asked the head, and under which number.
  struct PendingRequest {
    std::uint32_t world = 1;
    std::uint64_t id = 0;
  };

  [[nodiscard]] World& world_of(base::Rank rank);
  [[nodiscard]] const World& world_of(base::Rank rank) const;
  void ask(base::Rank rank, const pmi::Request& request);
  [[nodiscard]] std::uint64_t remember(const World& world, std::uint64_t id);
  void answered(std::uint64_t id, const pmi::Reply& reply);
  void perform(World& world, const pmi::Effects& effects);
  void perform(World& world, const pmi::Answer& effect);
  void perform(World& world, const pmi::FenceIn& effect);
  void perform(World& world, const pmi::Aborted& effect);
  void perform(World& world, const pmi::Ask& effect);
  void perform(World& world, const pmi::SpawnRequest& effect);
  void broken(base::Rank rank, const std::string& what);

  ReadableSet& readable_;
  std::map<std::uint32_t, World> worlds_;              // by number
  std::map<base::Rank, std::uint32_t> world_numbers_;  // of the tasks here
  std::map<std::uint64_t, PendingRequest> asked_;
  std::uint64_t last_id_ = 0;
  Events events_;
  std::map<base::Rank, std::shared_ptr<Talk>> talks_;
};

}  // namespace muster::host
