// StepLinks: links to hosts of the Slurm job around. Hosts that are opened together get one srun,
// whose agents connect to this head; a single one, and hosts that cannot connect, get an srun of
// their own, whose stdio is the link; so do all where nobody comes of the one srun, for Slurm
// refuses a step as a whole and does not say for which host.
#pragma once

#include <asio/io_context.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "head/carriers.hpp"
#include "head/shared_step.hpp"
#include "process/alarm.hpp"
#include "process/life.hpp"
#include "process/question.hpp"

namespace muster::head {

class StepLinks {
 public:
  // `say`: a line for people.
  StepLinks(asio::io_context& loop, std::function<void(const std::string&)> say);

  // The link must not outlive this. Hosts that are opened before the loop goes on share an srun.
  [[nodiscard]] OpenedCarrier open(const CarrierNeeds& needs, base::NodeIndex node,
                                   const model::Host& host, HostLinkEvents events);

 private:
  class StepLink;
  using Links = std::vector<StepLink*>;

  void start_all();
  void start_together(const Links& links);
  void start_each(const Links& links);
  void start_due();
  void take(SharedStep& step, const VisitorPtr& visitor, const wire::Join& join);
  void look_again();
  void tell_uncalled(const std::string& host, const std::string& why);
  void tell_blocked(const base::Error& why, base::Duration waited, base::Duration most);
  void ask_for_steps(const CarrierNeeds& needs);
  void go_on_soon();
  void close_idle_doors();

  asio::io_context& loop_;
  std::function<void(const std::string&)> say_;
  std::set<StepLink*> links_;  // all that there are
  Links fresh_;                // not started yet
  std::deque<StepLink*> due_;  // are to have an srun of their own, and wait for their turn
  std::vector<std::weak_ptr<SharedStep>> called_;  // whose doors are open
  bool goes_on_ = false;                           // soon
  bool calls_fail_ = false;                        // hosts cannot connect to this one
  bool told_blocked_ = false;
  std::string name_;  // of all steps that are started here
  process::Question squeue_;
  bool is_asking_ = false;
  base::Instant asked_at_{};
  std::string steps_;  // the job's, as squeue has last listed them; empty: not asked
  process::Alarm look_;
  process::Life life_;
};

}  // namespace muster::head
