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

// "node1:29400", "node1", "[::1]:29400".
[[nodiscard]] base::Result<TorchEndpoint> read_torch_endpoint(const Typed& typed);

// Whether each host takes it for itself: a name or an address of the loopback interface.
[[nodiscard]] bool is_loopback(std::string_view host);

}  // namespace muster::front
