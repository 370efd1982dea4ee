// The cache of a host: where code that came over a link is kept, so that it comes only once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::blobs {

// $XDG_CACHE_HOME/muster, else ~/.cache/muster; nothing when the environment names neither.
[[nodiscard]] std::optional<std::string> cache_folder(const std::vector<std::string>& environment);

}  // namespace muster::blobs
