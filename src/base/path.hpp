// lies_in: whether a path is a folder's own or leads into it, by its words alone.
#pragma once

#include <string_view>

namespace muster::base {

// Both without "." and "..", and without a slash at the end but for "/" itself.
[[nodiscard]] constexpr bool lies_in(std::string_view path, std::string_view folder) {
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || folder == "/" || path[folder.size()] == '/';
}

}  // namespace muster::base
