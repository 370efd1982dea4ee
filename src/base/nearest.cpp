// Finds the nearest known word by edit distance.
#include "base/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace muster::base {
namespace {

// Insertions, deletions, changes of one letter, and swaps of two neighbours that make b of a
// (optimal string alignment), with three rows of memory.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> above;  // the rows of the last two letters of a, and that of this one
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    above = std::exchange(last, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = last[j] + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({changed, row[j] + 1, last[j + 1] + 1});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) row[j + 1] = std::min(row[j + 1], above[j - 1] + 1);
    }
  }
  return row.back();
}

std::size_t letters_in(std::string_view word) {
  const auto is_letter = [](char c) { return c != '-' && c != '_'; };
  return static_cast<std::size_t>(std::ranges::count_if(word, is_letter));
}

bool is_same_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

// Whoever types "--secret" may mean "--secret-file": the only word that begins so.
std::optional<std::string> begun_by(std::string_view typed, std::span<const std::string> known) {
  constexpr std::size_t kLettersLeast = 4;
  std::optional<std::string> found;
  for (const std::string& word : known) {
    const bool begins = word.size() > typed.size() && word.starts_with(typed) &&
                        (word[typed.size()] == '-' || word[typed.size()] == '_');
    if (!begins) continue;
    if (found) return std::nullopt;
    found = word;
  }
  return letters_in(typed) >= kLettersLeast ? found : std::nullopt;
}

}  // namespace

std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> known) {
  constexpr std::size_t kShort = 5;
  const std::size_t letters = letters_in(typed);
  std::size_t best = (letters <= kShort ? 1 : std::min<std::size_t>(letters / 3, 3)) + 1;
  std::optional<std::string> found;
  for (const std::string& word : known) {
    const std::size_t d = distance(typed, word);
    if (d < best && (d < letters || is_same_but_for_case(typed, word))) {
      best = d;
      found = word;
    }
  }
  return found ? found : begun_by(typed, known);
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> known,
                         std::string otherwise) {
  const auto word = nearest(typed, known);
  return word ? "did you mean " + *word + "?" : std::move(otherwise);
}

}  // namespace muster::base
