// Which access modes serve pods on several nodes.
#include "cluster/claim.hpp"

#include <algorithm>

#include "base/words.hpp"

namespace muster::cluster {

Claim read_claim(std::string_view text) {
  Claim claim;
  const std::size_t space = std::min(text.find(' '), text.size());
  claim.phase = text.substr(0, space);
  text.remove_prefix(std::min(space + 1, text.size()));
  claim.modes = base::split(std::string(text), " ");
  return claim;
}

bool reaches(const Claim& claim, std::uint32_t nodes, bool read_only) {
  const auto has = [&](const char* mode) { return std::ranges::count(claim.modes, mode) > 0; };
  if (claim.modes.empty() || has("ReadWriteMany")) return true;
  if (has("ReadOnlyMany") && read_only) return true;
  return nodes == 1 && has("ReadWriteOnce");
}

}  // namespace muster::cluster
