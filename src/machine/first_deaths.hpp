// FirstDeaths: which of the ranks that failed was the first, as far as the hosts' clocks can tell.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "machine/host_clock.hpp"
#include "model/report.hpp"

namespace muster::machine {

// By how much a host may notice a death too late: its guard has to be scheduled first.
inline constexpr std::chrono::milliseconds kNoticeTime{2};

struct Death {
  model::RankExit exit;
  base::NodeIndex node;
  std::optional<Window> when;  // noticed
  std::string error_file;      // what it wrote there
  model::Circumstances around = {};
  std::string host = {};            // of the node
  std::optional<Window> told = {};  // when it wrote error_file
  bool operator==(const Death&) const = default;
};

class FirstDeaths {
 public:
  // The deaths of one host come in their order.
  void add(Death death);
  // All deaths that may have been the first, at most one of each host. The one that counts comes
  // first: the highest exit code, then the lowest rank. Where a time is not known: only the death
  // that was added first. Empty before add().
  //
  // When that one wrote why it failed, only after another had done so, it is the other alone: an
  // interpreter closes its connections, which is its peers' failure, long before it has ended.
  // Likewise when that one has aborted itself: the watchers of TensorFlow and JAX do so when a peer
  // fails, without an exception.
  [[nodiscard]] std::vector<const Death*> first() const;
  // From the earliest time at which one of these may have happened to the latest.
  [[nodiscard]] static std::chrono::microseconds spread(const std::vector<const Death*>& deaths);
  // Asserts what holds between two calls; takes time, so only tests ask.
  void check() const;
  bool operator==(const FirstDeaths&) const = default;

 private:
  [[nodiscard]] const Death* who_told_before(const Death& first) const;

  std::vector<Death> of_host_;       // the first of each
  std::optional<Death> told_first_;  // of all that wrote why
};

}  // namespace muster::machine
