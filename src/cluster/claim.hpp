// Claim: what a PersistentVolumeClaim says of itself, and which pods it can serve. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster {

struct Claim {
  std::string phase;               // Pending, Bound, Lost
  std::vector<std::string> modes;  // ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod
};

// By which kubectl prints what is read here.
inline constexpr std::string_view kClaimForm =
    R"(--output=jsonpath={.status.phase} {.spec.accessModes[*]})";
[[nodiscard]] Claim read_claim(std::string_view text);

// Whether the pods of a run on so many nodes can all have it.
[[nodiscard]] bool reaches(const Claim& claim, std::uint32_t nodes, bool read_only);

}  // namespace muster::cluster
