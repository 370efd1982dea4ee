// What most rows of a table of options do: store a value that was read, or raise a flag.
#pragma once

#include <utility>

#include "base/error.hpp"

namespace muster::front {

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

}  // namespace muster::front
