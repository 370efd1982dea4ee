// PmixExchange: joins the PMIx servers of all hosts, in the head.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "model/plan.hpp"
#include "pmix/codec.hpp"
#include "pmix/exchange.hpp"
#include "wire/messages.hpp"

namespace muster::app {

class PmixExchange {
 public:
  using Send = std::function<void(base::NodeIndex, wire::PmixDown)>;

  PmixExchange(const pmix::Job& job, Send send);

  void take(base::NodeIndex node, const wire::PmixUp& message);

 private:
  pmix::Exchange exchange_;
  std::vector<pmix::Reader<pmix::Upcall>> readers_;  // index: node
  Send send_;
};

// The job as PMIx sees it; `node` is 0. Its name is a secret: who knows it may ask to be a rank.
[[nodiscard]] pmix::Job pmix_job(const model::Plan& plan,
                                 const std::vector<model::App>& apps);
// For each node its AddJob, with a folder name of its own.
[[nodiscard]] std::vector<std::string> pmix_job_frames(pmix::Job job);

}  // namespace muster::app
