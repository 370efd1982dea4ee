// What a rank was doing at the time limit, in words. Pure.
#pragma once

#include <string>
#include <string_view>

namespace muster::view {

// "rank 3 on node1, pid 42: sleeping in do_wait", then the lines of its stack, set in.
[[nodiscard]] std::string traced(std::string_view rank, std::string_view state,
                                 std::string_view stack);

}  // namespace muster::view
