// The resources of a Flux job as Flux writes them: R, version 1. Pure.
//
// flux-framework/rfc: spec_20 (R), spec_22 (idsets), spec_29 (hostlists). That hosts go to ranks in
// ascending order stands in flux-core, src/common/librlist/rlist.c (rlist_assign_hostlist).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace muster::spec {

struct FluxHost {
  std::string name;
  std::uint32_t rank = 0;  // of its broker
  std::uint32_t cores = 0;
  std::uint32_t gpus = 0;
  bool operator==(const FluxHost&) const = default;
};

// In the order of their ranks; never empty. Fault::bad_file, at `name`, for another version, for
// hosts without names, and for what is no R. Bounds: 16 MiB, 1,000,000 hosts.
[[nodiscard]] base::Result<std::vector<FluxHost>> read_flux_resources(std::string_view text,
                                                                      const std::string& name);

// "1-3,5" or "[1-3,5]": ascending, each once. Nothing: it is no idset, or has more than 1,000,000
// ids or one beyond 2^31.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> read_idset(std::string_view text);

}  // namespace muster::spec
