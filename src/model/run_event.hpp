// RunEvent: what has happened to a run, once the head has accepted it. Whoever records or tells a
// run hears of nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "base/id.hpp"
#include "model/report.hpp"

namespace muster::model {

struct HostJoined {  // as the node after all others
  base::NodeIndex node;
  std::string name;
  bool operator==(const HostJoined&) const = default;
};
struct RankStarted {  // once in each round
  base::Rank rank;
  base::NodeIndex node;
  std::int32_t pid = 0;
  bool operator==(const RankStarted&) const = default;
};
struct RankEnded {  // likewise
  RankExit exit;
  bool operator==(const RankEnded&) const = default;
};

using RunEvent = std::variant<HostJoined, RankStarted, RankEnded>;

}  // namespace muster::model
