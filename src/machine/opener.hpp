// Opener: opens many links with a bounded number of attempts at a time, slower when refused.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/id.hpp"
#include "base/time.hpp"
#include "model/retry.hpp"

namespace muster::machine {

using model::Retry;

class Opener {
 public:
  // `parallel`: attempts at the same time, at least 1. `patience`: the limit of one attempt.
  Opener(std::uint32_t parallel, base::Duration patience);

  void add(base::NodeIndex node, base::Instant now);
  // Nodes whose attempt begins now.
  [[nodiscard]] std::vector<base::NodeIndex> due(base::Instant now);
  void opened(base::NodeIndex node);
  [[nodiscard]] bool has(base::NodeIndex node) const { return attempts_.contains(node); }
  [[nodiscard]] bool idle() const { return attempts_.empty(); }
  // True when another attempt will be made; false when this node has failed for good.
  // A patient refusal halves the number of attempts at a time.
  [[nodiscard]] bool again(base::NodeIndex node, base::Instant now, Retry retry);
  // Nodes whose attempt has lasted longer than the patience; they stay until again() or opened().
  [[nodiscard]] std::vector<base::NodeIndex> overdue(base::Instant now) const;
  [[nodiscard]] std::optional<base::Instant> deadline() const;
  // Nodes not open yet, for progress reports.
  [[nodiscard]] std::vector<base::NodeIndex> waiting() const;
  // Asserts what holds between two calls; takes time, so only tests ask.
  void check() const;
  bool operator==(const Opener&) const = default;

 private:
  struct Attempt {
    std::uint32_t count = 0;  // attempts begun
    bool open = false;        // one is under way
    base::Instant at{};       // when the next may begin, or when the present one began
    bool operator==(const Attempt&) const = default;
  };
  [[nodiscard]] std::uint32_t under_way() const;

  std::uint32_t parallel_;
  base::Duration patience_;
  std::map<base::NodeIndex, Attempt> attempts_;
};

}  // namespace muster::machine
