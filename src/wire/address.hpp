// Address: which run a frame is about, and which hosts it is for or from.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.hpp"

namespace muster::wire {

// Hosts by their number in the head, as ranges that ascend and do not touch. Empty: whoever is at
// the other end of the link.
class HostSet {
 public:
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;  // at least `first`
    bool operator==(const Range&) const = default;
  };

  HostSet() = default;
  explicit HostSet(base::NodeIndex one) : ranges_{{one.value, one.value}} {}

  // After all that are in it.
  void add(base::NodeIndex host);
  // False, and nothing is added, when it does not follow what is in the set.
  [[nodiscard]] bool add(Range range);
  [[nodiscard]] bool contains(base::NodeIndex host) const;
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] bool is_one() const {
    return ranges_.size() == 1 && ranges_.front().first == ranges_.front().last;
  }
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }
  // Those that are in both.
  [[nodiscard]] HostSet operator&(const HostSet& other) const;
  bool operator==(const HostSet&) const = default;

 private:
  std::vector<Range> ranges_;
};

struct Address {
  base::RunIndex run = base::kFirstRun;
  HostSet hosts = {};
  bool operator==(const Address&) const = default;
};

}  // namespace muster::wire
