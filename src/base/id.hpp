// Id: a number that says what it numbers, so that a rank cannot be passed for a node.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace muster::base {

template <class Tag>
struct Id {
  std::uint32_t value = 0;
  constexpr Id() = default;
  explicit constexpr Id(std::uint64_t number) : value(static_cast<std::uint32_t>(number)) {}
  auto operator<=>(const Id&) const = default;
};

using Rank = Id<struct RankTag>;            // global number of a task, 0 .. world size - 1
using NodeIndex = Id<struct NodeIndexTag>;  // index of a host in the plan
using RunIndex = Id<struct RunIndexTag>;    // of a head, from 1

inline constexpr RunIndex kFirstRun{1};  // the one that the head was made for

}  // namespace muster::base

template <class Tag>
struct std::hash<muster::base::Id<Tag>> {
  std::size_t operator()(muster::base::Id<Tag> id) const noexcept { return id.value; }
};
