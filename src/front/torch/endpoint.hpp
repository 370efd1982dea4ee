// The rendezvous address: HOST[:PORT], as --rdzv-endpoint takes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "front/table.hpp"

namespace muster::front {

struct TorchEndpoint {
  std::string host;  // a name or an address, IPv6 without brackets
  std::optional<std::uint32_t> port = {};
};

// "node1:29400", "node1", "[::1]:29400"; port 0 is any that is free.
[[nodiscard]] base::Result<TorchEndpoint> read_torch_endpoint(const Typed& typed);

}  // namespace muster::front
