// upcall_module: the functions that the library calls, all of which only bring values to the desk.
#pragma once

#include "pmix/desk.hpp"

namespace muster::pmix {

// The module has no room for a pointer of ours, and the library lives once in a process: so does
// the desk, which must outlive the library's threads.
[[nodiscard]] pmix_server_module_t upcall_module(Desk& desk);

}  // namespace muster::pmix
