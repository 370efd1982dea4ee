// Where nodes that were started separately meet, as the sockets' addresses of its name.
#pragma once

#include <asio/ip/tcp.hpp>
#include <vector>

#include "base/error.hpp"
#include "model/meeting.hpp"

namespace muster::head {

// At least one. Waits for the name service; Fault::unreachable with its words.
[[nodiscard]] base::Result<std::vector<asio::ip::tcp::endpoint>> endpoints_of(
    const model::Meeting& meeting);

}  // namespace muster::head
