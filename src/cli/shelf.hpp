// Shelf: all records of a folder, as the decision which of them go wants to see them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/retention.hpp"

namespace muster::cli {

struct Shelf {
  std::vector<std::string> runs;   // the oldest first
  std::vector<std::string> ended;  // those that nothing is written to any more
  std::vector<std::string> unreadable;
  model::Holdings holdings;  // records in the order of `runs`
};

struct ShelfRules {
  bool measures = false;          // what each takes on the disk; else that is 0
  bool anew = true;               // else what was measured once is believed
  const Shelf* before = nullptr;  // was measured already
  std::string spared = {};        // a run that may not go
  std::function<void(std::size_t done, std::size_t all)> told = {};
};

[[nodiscard]] Shelf shelf_of(const std::string& records, const ShelfRules& rules);

}  // namespace muster::cli
