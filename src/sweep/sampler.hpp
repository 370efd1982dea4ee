// Samplers: the point that a sweep's trial tries.
#pragma once

#include <cstdint>
#include <span>

#include "sweep/settings.hpp"

namespace muster::sweep {

// How many points a grid of choices has; at most 2^53.
[[nodiscard]] std::uint64_t grid_size(const Space& space);

// The trials of a sweep: as many as its limit, or as its grid has points.
[[nodiscard]] std::uint64_t trials_of(const Settings& settings);

// What a trial gave that began earlier.
struct Tried {
  Point point;
  // Less is better. None: the trial still runs, has failed or has reported nothing.
  std::optional<double> loss = {};
};

// The same for the same arguments, on every machine. Only `bayesian` looks at what was tried.
// A grid takes choices only, and `sobol` at most kSobolDimensions parameters.
[[nodiscard]] Point sample(const Settings& settings, std::uint64_t trial,
                           std::span<const Tried> tried);

}  // namespace muster::sweep
