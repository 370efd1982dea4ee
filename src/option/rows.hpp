// Tables of options: what most rows do (store a value that was read, raise a flag), and joining.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "base/error.hpp"

namespace muster::option {

template <class From, class To>
base::Result<void> store(base::Result<From> from, To& to) {
  if (!from) return tl::unexpected(std::move(from.error()));
  to = std::move(*from);
  return {};
}

inline base::Result<void> raise(bool& flag) {
  flag = true;
  return {};
}

template <class Row, std::size_t A, std::size_t B>
constexpr auto joined(const std::array<Row, A>& first, const std::array<Row, B>& second) {
  std::array<Row, A + B> all{};
  for (std::size_t i = 0; i < A; ++i) all[i] = first[i];
  for (std::size_t i = 0; i < B; ++i) all[A + i] = second[i];
  return all;
}

}  // namespace muster::option
