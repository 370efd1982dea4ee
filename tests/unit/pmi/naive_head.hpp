// A head for tests: joins the worlds of several nodes, keeps names, and knows nothing of time.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pmi/pmi_world.hpp"

namespace muster::pmi::test {

class NaiveHead {
 public:
  using Send = std::function<void(base::Rank, const Reply&)>;

  // One world for each node, in order.
  NaiveHead(std::vector<PmiWorld> worlds, Send send)
      : worlds_(std::move(worlds)), send_(std::move(send)) {}

  void request(std::size_t node, base::Rank task, const Request& request) {
    perform(node, worlds_.at(node).handle(task, request));
  }
  [[nodiscard]] PmiWorld& world(std::size_t node) { return worlds_.at(node); }

  std::vector<Aborted> aborted;
  std::vector<SpawnRequest> spawned;
  std::string error;           // of a fence
  std::size_t fences = 0;      // that are over
  std::size_t most_bytes = 0;  // of a joined blob

 private:
  void perform(std::size_t node, const Effects& effects) {
    for (const Effect& effect : effects) {
      if (const auto* answer = std::get_if<Answer>(&effect)) send_(answer->task, answer->reply);
      if (const auto* fence = std::get_if<FenceIn>(&effect)) gather(node, *fence);
      if (const auto* gone = std::get_if<Aborted>(&effect)) aborted.push_back(*gone);
      if (const auto* ask = std::get_if<Ask>(&effect))
        perform(node, worlds_[node].answered(ask->id, look_up(*ask)));
      if (const auto* spawn = std::get_if<SpawnRequest>(&effect)) spawned.push_back(*spawn);
    }
  }

  void gather(std::size_t node, const FenceIn& fence) {
    fences_.emplace(node, fence);
    if (fences_.size() < worlds_.size()) return;
    std::string joined;
    for (const auto& [from, one] : fences_) joined += one.blob;
    fences_.clear();
    ++fences;
    most_bytes = std::max(most_bytes, joined.size());
    for (std::size_t to = 0; to < worlds_.size(); ++to) {
      const auto out = worlds_[to].fence_out(fence.sequence, joined);
      if (out)
        perform(to, *out);
      else
        error = out.error().what;
    }
  }

  Reply look_up(const Ask& ask) {
    if (const auto* publish = std::get_if<Publish>(&ask.what))
      return names_.emplace(publish->service, publish->port).second ? Reply{Done{}} : NotFound{};
    if (const auto* gone = std::get_if<Unpublish>(&ask.what))
      return names_.erase(gone->service) > 0 ? Reply{Done{}} : NotFound{};
    const auto found = names_.find(std::get<Lookup>(ask.what).service);
    return found == names_.end() ? Reply{NotFound{}} : Text{found->second};
  }

  std::vector<PmiWorld> worlds_;
  Send send_;
  std::map<std::size_t, FenceIn> fences_;
  std::map<std::string, std::string> names_;
};

}  // namespace muster::pmi::test
