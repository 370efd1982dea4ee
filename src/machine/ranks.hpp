// Ranks: which ranks of a run have a process, and which have ended.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.hpp"

namespace muster::machine {

class Ranks {
 public:
  // One more. `serves`: it waits for requests of others for ever, as a parameter server does.
  void add(bool serves);
  // All start again, but for those from this number on, which are forgotten.
  void renew(std::uint32_t count);

  // False when it has been said before, or is nonsense.
  [[nodiscard]] bool start(base::Rank rank, std::int32_t pid);
  [[nodiscard]] bool end(base::Rank rank);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ranks_.size()); }
  [[nodiscard]] std::uint32_t alive() const { return size() - ended_; }  // not ended, that is
  [[nodiscard]] std::uint32_t ended() const { return ended_; }
  // Each has had a process.
  [[nodiscard]] bool all_started() const { return started_ == size(); }
  [[nodiscard]] bool only_servers_left() const { return working_ == 0 && ended_ < size(); }
  [[nodiscard]] bool has_ended(base::Rank rank) const { return of(rank).ended; }
  [[nodiscard]] std::int32_t pid(base::Rank rank) const { return of(rank).pid; }
  // Asserts what holds between two calls; takes time, so only tests ask.
  void check() const;
  bool operator==(const Ranks&) const = default;

 private:
  struct One {
    bool serves = false;
    bool ended = false;
    std::int32_t pid = 0;  // 0: has none yet
    bool operator==(const One&) const = default;
  };
  [[nodiscard]] const One& of(base::Rank rank) const;

  std::vector<One> ranks_;     // index: rank
  std::uint32_t started_ = 0;  // have had a process
  std::uint32_t ended_ = 0;
  std::uint32_t working_ = 0;  // have not ended and do not serve
};

}  // namespace muster::machine
