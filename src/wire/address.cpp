// Ranges of hosts: added at the end, found by halves, cut against others.
#include "wire/address.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace muster::wire {

void HostSet::add(base::NodeIndex host) {
  if (!ranges_.empty() && ranges_.back().last + 1 == host.value) {
    ranges_.back().last = host.value;
  } else {
    CHECK(add(Range{host.value, host.value}));
  }
}

bool HostSet::add(Range range) {
  if (range.last < range.first) return false;
  if (!ranges_.empty() && range.first <= ranges_.back().last + 1) return false;
  ranges_.push_back(range);
  return true;
}

bool HostSet::contains(base::NodeIndex host) const {
  const auto after = std::ranges::upper_bound(ranges_, host.value, {}, &Range::first);
  return after != ranges_.begin() && std::prev(after)->last >= host.value;
}

HostSet HostSet::operator&(const HostSet& other) const {
  HostSet both;
  auto one = ranges_.begin();
  auto two = other.ranges_.begin();
  while (one != ranges_.end() && two != other.ranges_.end()) {
    const Range common{std::max(one->first, two->first), std::min(one->last, two->last)};
    if (common.first <= common.last) both.ranges_.push_back(common);
    one->last < two->last ? ++one : ++two;
  }
  return both;
}

}  // namespace muster::wire
