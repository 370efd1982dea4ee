// Joe and Kuo's direction numbers for the first dimensions, and points made of them.
#include "sweep/sobol.hpp"

#include <array>
#include <bit>

#include "base/check.hpp"

namespace muster::sweep {
namespace {

constexpr std::size_t kDegreeMost = 9;
constexpr std::size_t kBits = 32;

// A primitive polynomial, its inner coefficients as bits, and the first direction numbers.
struct Direction {
  std::uint32_t degree;
  std::uint32_t inner;
  std::array<std::uint32_t, kDegreeMost> first;
};

// Dimensions 2 to 64 (s, a and m_i of the file); the first needs none.
constexpr std::array<Direction, kSobolDimensions - 1> kDirections = {{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
    {8, 38, {1, 3, 1, 11, 27, 43, 71, 9}},
    {8, 47, {1, 1, 7, 15, 21, 11, 81, 45}},
    {8, 49, {1, 3, 7, 3, 25, 31, 65, 79}},
    {8, 50, {1, 3, 1, 1, 19, 11, 3, 205}},
    {8, 52, {1, 1, 5, 9, 19, 21, 29, 157}},
    {8, 56, {1, 3, 7, 11, 1, 33, 89, 185}},
    {8, 67, {1, 3, 3, 3, 15, 9, 79, 71}},
    {8, 70, {1, 3, 7, 11, 15, 39, 119, 27}},
    {8, 84, {1, 1, 3, 1, 11, 31, 97, 225}},
    {8, 97, {1, 1, 1, 3, 23, 43, 57, 177}},
    {8, 103, {1, 3, 7, 7, 17, 17, 37, 71}},
    {8, 115, {1, 3, 1, 5, 27, 63, 123, 213}},
    {8, 122, {1, 1, 3, 5, 11, 43, 53, 133}},
    {9, 8, {1, 3, 5, 5, 29, 17, 47, 173, 479}},
    {9, 13, {1, 3, 3, 11, 3, 1, 109, 9, 69}},
    {9, 16, {1, 1, 1, 5, 17, 39, 23, 5, 343}},
    {9, 22, {1, 3, 1, 5, 25, 15, 31, 103, 499}},
    {9, 25, {1, 1, 1, 11, 11, 17, 63, 105, 183}},
    {9, 44, {1, 1, 5, 11, 9, 29, 97, 231, 363}},
    {9, 47, {1, 1, 5, 15, 19, 45, 41, 7, 383}},
    {9, 52, {1, 3, 7, 7, 31, 19, 83, 137, 221}},
    {9, 55, {1, 1, 1, 3, 23, 15, 111, 223, 83}},
    {9, 59, {1, 1, 5, 13, 31, 15, 55, 25, 161}},
    {9, 62, {1, 1, 3, 13, 25, 47, 39, 87, 257}},
}};

using Numbers = std::array<std::uint32_t, kBits>;  // each a fraction of 2^32

constexpr Numbers numbers_of(const Direction& direction) {
  Numbers v{};
  const std::uint32_t degree = direction.degree;
  for (std::uint32_t i = 0; i < degree; ++i) v[i] = direction.first[i] << (31 - i);
  for (std::uint32_t i = degree; i < kBits; ++i) {
    v[i] = v[i - degree] ^ (v[i - degree] >> degree);
    for (std::uint32_t k = 1; k < degree; ++k) {
      if (((direction.inner >> (degree - 1 - k)) & 1) != 0) v[i] ^= v[i - k];
    }
  }
  return v;
}

constexpr std::array<Numbers, kSobolDimensions> all_numbers() {
  std::array<Numbers, kSobolDimensions> all{};
  for (std::uint32_t i = 0; i < kBits; ++i) all[0][i] = std::uint32_t{1} << (31 - i);
  for (std::size_t d = 1; d < all.size(); ++d) all[d] = numbers_of(kDirections[d - 1]);
  return all;
}

constexpr auto kNumbers = all_numbers();

}  // namespace

std::uint32_t sobol(std::uint64_t index, std::size_t dimension) {
  CHECK(dimension < kSobolDimensions);
  std::uint32_t point = 0;
  for (auto gray = static_cast<std::uint32_t>(index ^ (index >> 1)); gray != 0; gray &= gray - 1) {
    point ^= kNumbers[dimension][static_cast<std::size_t>(std::countr_zero(gray))];
  }
  return point;
}

}  // namespace muster::sweep
