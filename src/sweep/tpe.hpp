// The tree of Parzen estimators: J. Bergstra, R. Bardenet, Y. Bengio and B. Kegl, "Algorithms for
// Hyper-Parameter Optimization", NIPS 2011.
//
// Of the points tried so far, some are good and the others bad. Each group's density is estimated
// for each parameter by itself, as a mixture of one Gaussian for each point and the prior. Of some
// candidates drawn from the density of the good ones, the one is tried whose density there is
// highest compared with that of the bad ones. A choice's option is drawn as often as good points
// took it, and once more than they did: comparing options as well would try one for too long.
#pragma once

#include <span>

#include "sweep/sampler.hpp"

namespace muster::sweep {

// Until then points are random.
[[nodiscard]] bool tried_enough(std::span<const Tried> tried);

// Trials without a loss count as bad ones: several that run at the same time stay apart, and where
// trials fail there are fewer.
[[nodiscard]] Point tpe_point(const Settings& settings, std::uint64_t trial,
                              std::span<const Tried> tried);

}  // namespace muster::sweep
