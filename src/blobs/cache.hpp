// The cache of a host: where code that came over a link is kept, so that it comes only once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace muster::blobs {

// $XDG_CACHE_HOME/muster, else ~/.cache/muster; nothing when the environment names neither.
[[nodiscard]] std::optional<std::string> cache_folder(const std::vector<std::string>& environment);

// What is used of a folder in that one.
enum class Use : std::uint8_t {
  executed,  // as it is
  checked,   // by its hash, each time
};
// A folder in that one, "environments", made if it is not there. An error where it cannot be made;
// where it, or the cache, is another user's; or where others may write to what is executed:
// XDG_CACHE_HOME may name a folder of many.
[[nodiscard]] base::Result<std::string> own_part_of(const std::string& cache, std::string_view part,
                                                    Use use);

// What one in this folder may take: MUSTER_CACHE_BUDGET, else 20 GB, or a tenth of its file system
// if that is less.
[[nodiscard]] std::uint64_t cache_budget(const std::string& folder,
                                         const std::vector<std::string>& environment);

struct Trimmed {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

// Removes what killed processes left in a store, then contents, the one that was used longest ago
// as the first, until no more than that is left. Those who use contents have copies of their own.
// Nothing while anybody has a hold on the store.
[[nodiscard]] Trimmed trim(const std::string& store, std::uint64_t budget, bool really = true);

}  // namespace muster::blobs
