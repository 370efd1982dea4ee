// How deep folders may be nested in what muster copies, sends or compares: one bound for all walks,
// so that what one of them takes another does not refuse later.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/columns.hpp"

namespace muster::blobs {

inline constexpr std::size_t kFoldersDeep = 256;  // below the folder that is asked for
inline constexpr std::string_view kTooDeep = "nested more than 256 folders deep";
static_assert(kFoldersDeep == 256, "kTooDeep says the number");

// Of a path that deep, as much as tells which it is.
[[nodiscard]] inline std::string cut_path(std::string_view path) {
  constexpr std::size_t kShown = 120;  // columns
  return base::shortened(path, kShown);
}

}  // namespace muster::blobs
