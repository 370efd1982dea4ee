// Where nodes that were started separately meet, as the sockets' addresses of its name.
#pragma once

#include <asio/ip/tcp.hpp>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/meeting.hpp"

namespace muster::head {

// At least one. Waits for the name service; Fault::unreachable with its words.
[[nodiscard]] base::Result<std::vector<asio::ip::tcp::endpoint>> endpoints_of(
    const model::Meeting& meeting);

// Whether each host takes it for itself.
[[nodiscard]] bool is_loopback(const model::Meeting& meeting);

inline constexpr std::string_view kOnlyHere =
    "other hosts cannot reach a loopback address: give a name or address of node 0 that they know";

}  // namespace muster::head
