// Keeps the parts of all fences, and looks at the end of each turn who should have been answered.
#include "sim/pmi_judge.hpp"

namespace muster::sim {

using base::NodeIndex;

void PmiJudge::asks(NodeIndex node, const wire::FenceIn& part) {
  Fence& fence = fences_[{part.world, part.sequence}];
  if (!fence.parts.emplace(node, part.blob).second) complain_("a host fences twice");
  fence.waiting.insert(node);
}

void PmiJudge::told(NodeIndex node, const wire::FenceOut& answer) {
  Fence& fence = fences_[{answer.world, answer.sequence}];
  if (fence.waiting.erase(node) == 0) complain_("a fence is answered to who does not wait");
  if (!is_complete(answer.world, fence)) complain_("a fence is answered before all have come");
  std::string joined;
  for (const auto& [from, part] : fence.parts) joined += part;
  if (answer.blob != joined) complain_("a fence is answered with other parts");
}

void PmiJudge::starts(NodeIndex node, std::uint32_t world) { nodes_[world].insert(node); }

void PmiJudge::ended(NodeIndex node) {
  for (auto& [key, fence] : fences_) fence.waiting.erase(node);
}

void PmiJudge::begin_round() {
  nodes_.clear();
  fences_.clear();
}

bool PmiJudge::is_complete(std::uint32_t world, const Fence& fence) const {
  const auto nodes = nodes_.find(world);
  return nodes != nodes_.end() && fence.parts.size() == nodes->second.size();
}

void PmiJudge::turn_over() {
  for (const auto& [key, fence] : fences_) {
    if (is_complete(key.first, fence) && !fence.waiting.empty()) {
      complain_("a fence is not answered to all");
    }
  }
}

}  // namespace muster::sim
