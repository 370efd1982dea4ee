// Draws a graph with one column for each node that others still wait for.
#include "view/graph_rail.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace muster::view {
namespace {

class Rail {
 public:
  Rail(const std::vector<std::vector<std::size_t>>& after, std::size_t columns)
      : after_(after), most_(columns), waiting_(after.size()) {
    for (const auto& before : after) {
      for (const std::size_t one : before) ++waiting_[one];
    }
  }

  std::string line(std::size_t node) {
    const std::vector<std::size_t> from = columns_of(after_[node]);
    for (const std::size_t before : after_[node]) --waiting_[before];
    const std::size_t own = column_for(from);
    if (own == kNone) return draw(from, kNone, "");
    std::string text = draw(from, own, after_[node].empty() ? "○" : "●");
    release();
    if (own < owners_.size()) owners_[own] = node;
    if (waiting_[node] == 0) owners_[own].reset();
    trim();
    return text;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  [[nodiscard]] std::vector<std::size_t> columns_of(const std::vector<std::size_t>& nodes) const {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      if (owners_[i] && std::ranges::count(nodes, *owners_[i]) > 0) columns.push_back(i);
    }
    return columns;
  }

  // That of the first node before it that nobody else waits for, or the first that is free.
  std::size_t column_for(const std::vector<std::size_t>& from) {
    for (const std::size_t column : from) {
      if (waiting_[*owners_[column]] == 0) return column;
    }
    const auto free = std::ranges::find(owners_, false, &std::optional<std::size_t>::has_value);
    if (free != owners_.end()) return static_cast<std::size_t>(free - owners_.begin());
    if (owners_.size() >= most_) return kNone;
    owners_.emplace_back();
    return owners_.size() - 1;
  }

  // Columns of nodes that nobody waits for any more.
  void release() {
    for (auto& owner : owners_) {
      if (owner && waiting_[*owner] == 0) owner.reset();
    }
  }

  void trim() {
    while (!owners_.empty() && !owners_.back()) owners_.pop_back();
  }

  [[nodiscard]] std::string draw(const std::vector<std::size_t>& from, std::size_t own,
                                 std::string_view node) const {
    std::size_t first = own;
    std::size_t last = own;
    for (const std::size_t column : from) {
      if (own == kNone) break;
      first = std::min(first, column);
      last = std::max(last, column);
    }
    std::string text;
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      const bool within = own != kNone && i >= first && i <= last;
      const bool joins = std::ranges::count(from, i) > 0;
      text += i == own ? node : sign(i, within, joins, own != kNone && i < own);
      if (i + 1 < owners_.size()) text += within && i < last ? "─" : " ";
    }
    return text;
  }

  [[nodiscard]] std::string_view sign(std::size_t column, bool within, bool joins,
                                      bool left) const {
    if (!owners_[column]) return within ? "─" : " ";
    const bool ends = waiting_[*owners_[column]] == 0;
    if (!within) return "│";
    if (!joins) return "┼";
    if (ends) return left ? "╰" : "╯";
    return left ? "├" : "┤";
  }

  const std::vector<std::vector<std::size_t>>& after_;
  std::size_t most_;
  std::vector<std::size_t> waiting_;                // index: node; how many still wait for it
  std::vector<std::optional<std::size_t>> owners_;  // index: column
};

}  // namespace

std::vector<std::string> graph_rail(const std::vector<std::vector<std::size_t>>& after,
                                    std::size_t columns) {
  Rail rail(after, columns);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < after.size(); ++i) lines.push_back(rail.line(i));
  return lines;
}

}  // namespace muster::view
