// InputFlow: the launcher's stdin on its way to the ranks that get it, never more than a
// window ahead of what each has taken. Spawned ranks get no input. Stdin that ranks inherit does
// not come this way.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/id.hpp"
#include "model/job_spec.hpp"

namespace muster::machine {

inline constexpr std::uint64_t kInputWindow = 256u << 10;  // bytes sent and not yet taken, per rank

class InputFlow {
 public:
  // `ranks`: of the first world.
  InputFlow(model::StdinSpec spec, std::uint32_t ranks);
  // All ranks start again: what was read before is gone, and the end stays the end.
  void renew();

  // Who gets input, ended or not; ascending.
  [[nodiscard]] std::vector<base::Rank> targets() const;
  // So many bytes have been read. Returns the ranks that still take input and get them.
  [[nodiscard]] std::vector<base::Rank> send(std::uint64_t bytes);
  // What a rank says that it has taken; more than it was sent counts as all.
  void taken(base::Rank rank, std::uint64_t bytes);
  void left(base::Rank rank);
  void end() { ended_ = true; }
  [[nodiscard]] bool ended() const { return ended_; }

  // Whether stdin is to be read from now on, if that has changed. Nothing is read before all ranks
  // run.
  [[nodiscard]] std::optional<bool> change(bool all_run);
  // Asserts what holds between two calls; takes time, so only tests ask.
  void check() const;
  bool operator==(const InputFlow&) const = default;

 private:
  struct Lane {
    std::uint64_t sent = 0;
    std::uint64_t taken = 0;
    bool left = false;
    bool operator==(const Lane&) const = default;
  };

  [[nodiscard]] bool is_sent() const;

  model::StdinSpec spec_;
  std::vector<Lane> lanes_;  // index: rank
  bool runs_ = false;  // all ranks have had a process; those that are spawned later do not matter
  bool reading_ = false;
  bool ended_ = false;
};

}  // namespace muster::machine
