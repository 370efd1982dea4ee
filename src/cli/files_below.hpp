// files_below: the files of some kind in a folder and below it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "front/call.hpp"

namespace muster::cli {

// At most so many are named, of so many entries that are looked at, so deep.
inline constexpr std::size_t kFilesMost = 1000;
inline constexpr std::size_t kEntriesMost = 20'000;
inline constexpr int kFoldersDeep = 6;

[[nodiscard]] front::FilesBelow files_below(const std::string& folder,
                                            const std::vector<std::string_view>& endings);

// The same of files that are remembered.
[[nodiscard]] front::FilesBelow files_below(const std::string& folder,
                                            const std::vector<std::string_view>& endings,
                                            const std::vector<std::string>& paths);

// Does the first of them; but what was registered beside the records, where another user may have
// put something, is left out, and told of once.
[[nodiscard]] front::ListFiles lists_files(const std::vector<std::string>& environment);

}  // namespace muster::cli
