// OperatedOutput: what the pods of an operator's job print, as they print it.
#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <string>

#include "cluster/operated.hpp"
#include "cluster/pod_lines.hpp"
#include "cluster/sight.hpp"

namespace muster::cli {

class OperatedOutput {
 public:
  // `id` as cluster::operated_id() says.
  OperatedOutput(const cluster::Kubectl& kubectl, std::string id, cluster::LogBegin begin)
      : kubectl_(kubectl), id_(std::move(id)), begin_(std::move(begin)) {}

  // Prints what is new. `follows`: and goes on while pods print, until `goes_on` denies it, the
  // operator says that the job is over, or another pod begins to speak; then it is to be called
  // again.
  void print_new(const cluster::Sight& sight, bool follows, const std::function<bool()>& goes_on);

  // Of what could not be printed; 0: nothing.
  [[nodiscard]] int code() const { return code_; }

 private:
  [[nodiscard]] bool is_as_before(const std::set<std::string>& speaking);

  const cluster::Kubectl& kubectl_;
  std::string id_;
  cluster::LogBegin begin_;
  cluster::PodLines lines_;
  bool tagged_ = false;
  int code_ = 0;
  std::chrono::steady_clock::time_point look_at_;
};

}  // namespace muster::cli
