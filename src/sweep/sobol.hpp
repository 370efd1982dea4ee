// Sobol points: a sequence that fills a cube more evenly than random points do.
//
// Direction numbers: S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better
// two-dimensional projections", SIAM J. Sci. Comput. 30 (2008), file new-joe-kuo-6.21201.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::sweep {

inline constexpr std::size_t kSobolDimensions = 64;

// A coordinate of the point with this index, as a fraction of 2^32. Points count from 0, which is
// the origin; the order is that of the Gray code, as in Joe and Kuo's program.
[[nodiscard]] std::uint32_t sobol(std::uint64_t index, std::size_t dimension);

}  // namespace muster::sweep
