// The descriptors that a task's starter may give it.
#pragma once

#include <cstddef>

namespace muster::process {

inline constexpr std::size_t kTaskDescriptors = 4;  // 0, 1, 2 and kWireupDescriptor
inline constexpr int kWireupDescriptor = 3;         // to an MPI wire-up server

}  // namespace muster::process
