// Who was killed is counted in its own group (in version 2 in those above too); whose limit was
// reached, in that group and, in version 2, those above it.
#include "machine/memory_kills.hpp"

#include <algorithm>

namespace muster::machine {
namespace {

using Group = model::MemoryCounters::Group;

// A group of that folder as it was; all zero when it was not there.
Group earlier(const model::MemoryCounters& before, const std::string& folder) {
  const auto found = std::ranges::find(before.groups, folder, &Group::folder);
  return found == before.groups.end() ? Group{} : *found;
}

std::uint64_t rise(std::uint64_t from, std::uint64_t to) { return to > from ? to - from : 0; }

}  // namespace

std::optional<model::MemoryKills> memory_kills(const model::MemoryCounters& before,
                                               const model::MemoryCounters& after) {
  model::MemoryKills kills;
  if (after.groups.empty()) {
    if (!after.killed) return std::nullopt;
    kills.whole_machine = true;
    kills.killed = rise(before.killed.value_or(*after.killed), *after.killed);
    return kills;
  }
  // Those above have other groups below them, whose dead are not ours.
  const Group& own = after.groups.front();
  kills.killed = rise(earlier(before, own.folder).killed, own.killed);
  if (kills.killed == 0) return kills;
  const auto hit = std::ranges::find_if(after.groups, [&](const Group& group) {
    return rise(earlier(before, group.folder).hits, group.hits) != 0;
  });
  if (hit != after.groups.end()) kills.group = hit->folder;
  return kills;
}

}  // namespace muster::machine
