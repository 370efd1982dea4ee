// loopback_peer: which user is at the other end of a TCP connection within this host.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <sys/types.h>

namespace muster::pmix {

// Of a connected socket. Nothing when the other end is not connected (any more), or not within this
// network namespace, which must be taken for "a stranger".
[[nodiscard]] std::optional<uid_t> loopback_peer(int socket);

// The owner of the connected socket that lies at local:port and talks to remote:port, in the text
// of /proc/net/tcp. Addresses and ports as the kernel has them (network byte order, host order).
[[nodiscard]] std::optional<uid_t> owner_in(std::string_view table, std::uint32_t local,
                                            std::uint16_t local_port, std::uint32_t remote,
                                            std::uint16_t remote_port);

}  // namespace muster::pmix
