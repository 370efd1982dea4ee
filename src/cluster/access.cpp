// A row for each resource: its name, its URLs, names of objects, its verbs; the last three in [].
#include "cluster/access.hpp"

#include <algorithm>

#include "base/words.hpp"

namespace muster::cluster {
namespace {

struct Row {
  std::string resource;
  std::vector<std::string> verbs;
  bool is_limited = false;  // to objects with some names
};

Row row_of(std::string_view line) {
  Row row;
  row.resource = line.substr(0, line.find_first_of(" \t"));
  const std::size_t open = line.rfind('[');
  const std::size_t close = line.rfind(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  row.verbs = base::split(std::string(line.substr(open + 1, close - open - 1)), " ");
  const std::string_view before = line.substr(0, open);
  const std::size_t names = before.rfind('[');
  row.is_limited = names != std::string_view::npos && before.substr(names, 2) != "[]";
  return row;
}

bool grants(const Row& row, const Right& right) {
  if (row.is_limited) return false;
  const bool is_it = row.resource == right.resource || row.resource == "*.*" ||
                     row.resource == "*" ||
                     (right.resource.ends_with(".batch") && row.resource == "*.batch");
  return is_it &&
         (std::ranges::count(row.verbs, right.verb) > 0 || std::ranges::count(row.verbs, "*") > 0);
}

}  // namespace

std::vector<Right> needed_rights(bool pushes) {
  std::vector<Right> needed;
  for (const char* resource : {"jobs.batch", "pods", "secrets"}) {
    for (const char* verb : {"create", "get", "list", "delete"}) {
      needed.push_back({resource, verb});
    }
  }
  needed.push_back({"pods/log", "get"});
  if (pushes) needed.push_back({"pods/exec", "create"});
  return needed;
}

std::vector<Right> missing_rights(std::string_view table, const std::vector<Right>& needed) {
  std::vector<Row> rows;
  for (const std::string& line : base::split(std::string(table), "\n")) {
    rows.push_back(row_of(line));
  }
  std::vector<Right> missing;
  for (const Right& right : needed) {
    const bool granted =
        std::ranges::any_of(rows, [&](const Row& row) { return grants(row, right); });
    if (!granted) missing.push_back(right);
  }
  return missing;
}

}  // namespace muster::cluster
