// PmixExchange: joins the PMIx servers of all hosts, in the head.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "machine/head_machine.hpp"
#include "model/plan.hpp"
#include "pmix/codec.hpp"
#include "pmix/exchange.hpp"
#include "wire/messages.hpp"

namespace muster::app {

class PmixExchange {
 public:
  using Send = std::function<void(base::NodeIndex, wire::PmixDown)>;

  // The first world; its frames go out with the orders.
  PmixExchange(pmix::Job job, std::vector<std::string> scratch, Send send);

  void take(base::NodeIndex node, const wire::PmixUp& message);
  // A host joins, as the node after all others.
  void add_host(const std::string& name);
  // For a node that has joined: the AddJobs of all worlds so far, none of which has ranks there.
  [[nodiscard]] std::string so_far(base::NodeIndex node) const;
  // Tells all servers of a world that was spawned.
  void add(const machine::AddWorld& spawned);

 private:
  std::vector<pmix::Job> worlds_;     // by number - 1
  std::vector<std::string> hosts_;    // names, by node
  std::vector<std::string> scratch_;  // of each node, for all worlds
  pmix::Exchange exchange_;
  std::vector<pmix::Reader<pmix::Upcall>> readers_;  // index: node
  Send send_;
};

// The job as PMIx sees it; `node` is 0. Its name is a secret: who knows it may ask to be a rank.
[[nodiscard]] pmix::Job pmix_job(const model::Plan& plan, const std::vector<model::App>& apps);
// For each node a folder name of its own, where all files of its worlds are.
[[nodiscard]] std::vector<std::string> pmix_scratch(std::size_t nodes);
// For each node its AddJob.
[[nodiscard]] std::vector<std::string> pmix_job_frames(pmix::Job job,
                                                       const std::vector<std::string>& scratch);

}  // namespace muster::app
