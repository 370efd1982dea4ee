// Finds the nearest known word by edit distance.
#include "base/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace muster::base {
namespace {

// Levenshtein distance with one row of memory.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t swap = corner + (a[i] == b[j] ? 0 : 1);
      corner = row[j + 1];
      row[j + 1] = std::min({swap, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> known) {
  std::size_t best = std::clamp<std::size_t>(typed.size() / 3, 1, 3) + 1;
  std::optional<std::string> found;
  for (const std::string& word : known) {
    const std::size_t d = distance(typed, word);
    if (d < best) {
      best = d;
      found = word;
    }
  }
  return found;
}

}  // namespace muster::base
