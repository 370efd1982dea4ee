// read_master_address: what --master-addr takes, for launchers of torch's. Pure.
#pragma once

#include <string>

#include "base/error.hpp"
#include "front/table.hpp"

namespace muster::front {

// A name or an address; a bare number was meant for the port.
[[nodiscard]] base::Result<std::string> read_master_address(const Typed& typed);

}  // namespace muster::front
