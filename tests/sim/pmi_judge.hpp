// PmiJudge: a fence is answered when all hosts of its world have brought their parts, in that turn,
// once to each that still runs, with all parts in the order of hosts; and never before.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/id.hpp"
#include "wire/messages.hpp"

namespace muster::sim {

class PmiJudge {
 public:
  using Complain = std::function<void(const std::string&)>;
  explicit PmiJudge(Complain complain) : complain_(std::move(complain)) {}

  void asks(base::NodeIndex node, const wire::FenceIn& part);
  void told(base::NodeIndex node, const wire::FenceOut& answer);
  void starts(base::NodeIndex node, std::uint32_t world);
  // Nothing waits there any more: its agent has stopped, or is lost.
  void ended(base::NodeIndex node);
  void begin_round();
  void turn_over();

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // world, sequence
  struct Fence {
    std::map<base::NodeIndex, std::string> parts;
    std::set<base::NodeIndex> waiting;
  };
  [[nodiscard]] bool is_complete(std::uint32_t world, const Fence& fence) const;

  Complain complain_;
  std::map<std::uint32_t, std::set<base::NodeIndex>> nodes_;  // of each world
  std::map<Key, Fence> fences_;
};

}  // namespace muster::sim
