// Lays the steps of a pipeline out in a table beside their edges.
#include "view/pipeline_plan.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/columns.hpp"
#include "view/first_few.hpp"
#include "view/graph_rail.hpp"

namespace muster::view {
namespace {

using base::columns_of;
using base::padded;

// Hosts first, then names of steps; edges and sizes stay.
constexpr base::Yield kPlanYields[] = {{3, 16}, {1, 16}, {3, 8}};

std::string size_words(const model::PlannedStep& plan) {
  const std::string slots = fmt::format("{} process{}", plan.slots, plan.slots == 1 ? "" : "es");
  return plan.nodes == 1 ? slots : fmt::format("{} nodes x {}", plan.nodes, slots);
}

std::string hosts_words(const PlannedRow& row) {
  if (!row.why_not.empty()) return row.why_not;
  constexpr std::size_t kFew = 4;
  return first_few(
      row.hosts.size(), [&](std::size_t i) { return row.hosts[i]; }, ", ", kFew);
}

}  // namespace

std::string pipeline_plan(const std::vector<PlannedRow>& rows, std::size_t width) {
  std::vector<std::vector<std::size_t>> after;
  after.reserve(rows.size());
  for (const PlannedRow& row : rows) after.push_back(row.plan.after);
  std::vector<std::array<std::string, 4>> cells = {{"", "STEP", "SIZE", "WHERE"}};
  const std::vector<std::string> rail = graph_rail(after);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    cells.push_back({rail[i], rows[i].name, size_words(rows[i].plan), hosts_words(rows[i])});
  }
  std::vector<std::size_t> widths(4);
  for (const auto& row : cells) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  if (width > 0) widths = base::fitted(widths, 2, width, kPlanYields);
  std::string text;
  for (const auto& row : cells) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += padded(base::shortened(row[i], widths[i]), widths[i]) + "  ";
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace muster::view
