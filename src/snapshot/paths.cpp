// Looks at paths name by name.
#include "snapshot/paths.hpp"

#include <algorithm>

namespace muster::snapshot {
namespace {

// Calls `see` with each name between slashes, until it returns false.
template <class See>
bool all_names(std::string_view path, See see) {
  while (true) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (!see(path.substr(0, end))) return false;
    if (end == path.size()) return true;
    path.remove_prefix(end + 1);
  }
}

bool is_fine_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= kNameMax;
}

}  // namespace

bool is_plain(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

bool is_inside(std::string_view path) {
  return path.size() <= kPathMax && is_plain(path) && all_names(path, is_fine_name);
}

bool link_stays(std::string_view path, std::string_view target) {
  if (target.empty() || target.front() == '/') return false;
  auto depth = std::ranges::count(path, '/');  // of the folder in which the link lies
  bool goes_down = false;
  return all_names(target, [&](std::string_view name) {
    if (name == "..") return !goes_down && --depth >= 0;
    goes_down = goes_down || (!name.empty() && name != ".");
    return true;
  });
}

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string way_up(std::string_view path) {
  std::string way;
  for (auto count = std::ranges::count(path, '/'); count > 0; --count) way += "../";
  return way;
}

}  // namespace muster::snapshot
