// Which records go, so that what is kept of ended runs stays within bounds. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.hpp"
#include "model/record.hpp"

namespace muster::model {

struct HeldRecord {
  std::uint64_t bytes = 0;  // of it alone
  Utc ended;
  bool may_go = false;                // it has ended, and is ours
  std::vector<std::size_t> needs;     // other records, whose outputs it has reused
  std::vector<std::size_t> contents;  // that its snapshots name, each once
};

struct Holdings {
  std::vector<HeldRecord> records;
  std::vector<std::uint64_t> contents;  // bytes of each; those that no record names count as gone
};

struct Bounds {
  std::optional<base::Duration> older_than = {};  // what ended longer ago goes
  std::optional<std::uint64_t> bytes = {};        // the oldest go until no more is left
  [[nodiscard]] bool says_nothing() const { return !older_than && !bytes; }
};

// One that would go, but for another record, which stays.
struct NeededRecord {
  std::size_t record = 0;
  std::size_t by = 0;
  bool operator==(const NeededRecord&) const = default;
};

struct Departures {
  std::vector<std::size_t> go;       // in this order, the oldest first
  std::vector<NeededRecord> needed;  // by their numbers
  std::uint64_t left = 0;            // bytes of records and contents that stay
};

// Again and again the oldest record goes that may, that no record left needs, and that is too old,
// or while more is left than shall be. Of two that ended at once the first one is older.
[[nodiscard]] Departures departures(const Holdings& holdings, const Bounds& bounds, Utc now);

// Of a cache.
struct CachedContent {
  std::uint64_t bytes = 0;
  std::chrono::sys_time<std::chrono::nanoseconds> used;
};

// Those that go, the one that was used longest ago as the first, until no more than that is left.
[[nodiscard]] std::vector<std::size_t> least_used(const std::vector<CachedContent>& contents,
                                                  std::uint64_t bytes);

}  // namespace muster::model
