// elsewhere: what to write here for an option that another launcher has.
#pragma once

#include <string>
#include <string_view>

namespace muster::front {

// A hint such as "muster calls it --per-node", or nothing for a name that no other launcher has.
// `name` is without any =VALUE; one dash or two make no difference.
[[nodiscard]] std::string elsewhere(std::string_view name);

}  // namespace muster::front
