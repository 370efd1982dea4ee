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

#include "app/readable_set.hpp"
#include "base/error.hpp"
#include "base/id.hpp"
#include "pmi/pmi_world.hpp"
#include "process/unique_fd.hpp"
#include "wire/messages.hpp"

namespace muster::app {

class PmiTasks {
 public:
  using ToHead = std::function<void(wire::ToHead)>;

  PmiTasks(ReadableSet& readable, const wire::Wireup& wireup,
           const std::vector<wire::TaskOrder>& tasks, ToHead to_head);
  ~PmiTasks();
  PmiTasks(const PmiTasks&) = delete;
  PmiTasks& operator=(const PmiTasks&) = delete;

  // The task's end of its conversation; close it once the task has it.
  [[nodiscard]] base::Result<process::UniqueFd> open(base::Rank rank);
  // Hears all tasks that have been opened; once.
  void listen();
  // Variables that tell the task of its descriptor.
  [[nodiscard]] std::vector<std::string> environment(base::Rank rank) const;
  // The task has ended. One that took part and left without MPI_Finalize has failed, even with
  // exit code 0.
  void ended(base::Rank rank);
  // FenceOut or NameAnswer.
  void hear(const wire::ToAgent& message);

 private:
  class Talk;

  void ask(base::Rank rank, const pmi::Request& request);
  void perform(const pmi::Effects& effects);
  void perform(const pmi::Answer& effect);
  void perform(const pmi::FenceIn& effect);
  void perform(const pmi::Aborted& effect);
  void perform(const pmi::Ask& effect);
  void perform(const pmi::SpawnRequest& effect);
  void broken(base::Rank rank, const std::string& what);
  void find_missing();

  ReadableSet& readable_;
  pmi::PmiWorld world_;
  std::uint32_t size_;
  ToHead to_head_;
  std::map<base::Rank, std::shared_ptr<Talk>> talks_;
  std::map<base::Rank, bool> has_ended_;
};

}  // namespace muster::app
