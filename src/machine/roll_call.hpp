// RollCall: which ranks have come to where those of their world wait for one another, in MPI_Init
// or in hvd.init(), as the head hears of it. Pure.
//
// Nobody leaves before all ranks of its world have come: from the first one's arrival on, each that
// is absent keeps others waiting.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/id.hpp"
#include "base/time.hpp"
#include "model/world.hpp"

namespace muster::machine {

class RollCall {
 public:
  void add(const model::World& world);  // the next one; all its ranks are absent
  void came(base::Rank rank, base::Instant now);
  // The rank has ended, which is no fault as long as nobody waits for it.
  void left(base::Rank rank);

  // A rank that has ended while others of its world wait for it, and so would wait for ever.
  [[nodiscard]] std::optional<base::Rank> deserter() const;
  // When a world will have waited for so long; worlds that are complete, or where nobody comes,
  // never.
  [[nodiscard]] std::optional<base::Instant> deadline(base::Duration patience) const;
  // Ranks that have neither arrived nor ended, of worlds in which others wait; ascending.
  [[nodiscard]] std::vector<base::Rank> missing() const;
  // Asserts what holds between two calls; takes time, so only tests ask.
  void check() const;
  bool operator==(const RollCall&) const = default;

 private:
  enum class Place : std::uint8_t { absent, here, gone };
  struct Entry {
    model::World world;
    std::uint32_t here = 0;              // ranks
    std::optional<base::Instant> since;  // the first one's arrival
    std::optional<base::Rank> gone;      // the first that left without having come
    [[nodiscard]] bool waits() const { return since && here < world.size; }
    bool operator==(const Entry&) const = default;
  };
  [[nodiscard]] Entry& entry_of(base::Rank rank);

  std::vector<Entry> worlds_;
  std::vector<Place> places_;  // index: rank
};

}  // namespace muster::machine
