// BatchRequest: a job that goes to the queue of a batch system, whose hosts nobody knows yet.
#pragma once

#include <string>
#include <vector>

#include "batch/wish.hpp"
#include "front/call.hpp"

namespace muster::front {

struct BatchRequest {
  std::string target;                        // of muster.yml
  std::string kind;                          // of batch::System
  batch::Wish wish;                          // its command begins with "muster"
  std::string program;                       // muster on the nodes; empty: this program's path
  std::vector<ReachWish> reach_wishes = {};  // of the call
};

}  // namespace muster::front
