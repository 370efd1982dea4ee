// As the XDG base directory specification names it.
#include "blobs/cache.hpp"

#include "base/variables.hpp"

namespace muster::blobs {

std::optional<std::string> cache_folder(const std::vector<std::string>& environment) {
  const std::string cache = base::value_of(environment, "XDG_CACHE_HOME");
  if (cache.starts_with('/')) return cache + "/muster";
  const std::string home = base::value_of(environment, "HOME");
  if (home.starts_with('/')) return home + "/.cache/muster";
  return std::nullopt;
}

}  // namespace muster::blobs
