// What this machine is: cores, name, addresses, and a port of its own. Reads, changes nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/inventory.hpp"
#include "process/unique_fd.hpp"

namespace muster::probe {

// Of this process; limited: its control groups have a quota.
[[nodiscard]] model::Cpus cpus();
[[nodiscard]] std::string hostname();

// What two processes have in common exactly when they are the same user's on one host: boot id,
// namespaces of processes and network, user id. Empty when the kernel does not tell.
[[nodiscard]] std::string identity();

// Without loopback, with link-local IPv6 left out.
[[nodiscard]] std::vector<model::Interface> interfaces();

// An address of one interface, loopback too, IPv4 first. Fault::usage when there is none here.
[[nodiscard]] base::Result<std::string> address_of(const std::string& interface);

// Whether there are InfiniBand or RoCE adapters.
[[nodiscard]] bool has_rdma(const std::string& folder = "/sys/class/infiniband");

// Those of the names that mean this machine: localhost and 127.*, ::1, an address of an interface,
// the host name in its long or short form, a name that /etc/hosts gives one of these addresses. The
// resolver is asked only for a name whose first label is our own: an unreachable DNS costs nothing.
[[nodiscard]] std::vector<std::string> local_names(std::span<const std::string> names);

// A TCP port that is free here and that no other muster job on this host will choose while `claim`
// is held. The port itself is not bound: the ranks bind it. It lies outside the kernel's range for
// outgoing connections. The claim is an abstract unix socket, gone with the process that holds it.
struct PortClaim {
  std::uint16_t port = 0;
  process::UniqueFd claim;
};
[[nodiscard]] base::Result<PortClaim> claim_port();

// A socket bound to a port of all addresses, IPv6 too where there is any, that does not listen:
// while it is there, only who sets SO_REUSEADDR can bind the port, and the kernel gives it to
// nobody by itself. Fault::cannot_start when another process has it.
[[nodiscard]] base::Result<process::UniqueFd> hold_port(std::uint16_t port);

// SSH_CONNECTION's two addresses, when this process came in through ssh.
struct SshConnection {
  std::string client;
  std::string server;
};
[[nodiscard]] SshConnection ssh_connection(const std::string& ssh_connection_variable);

// The same for a connection to this address from here, which the kernel's routes choose; none is
// made. Empty for an address that is none, or has no route.
[[nodiscard]] SshConnection ends_towards(const std::string& address);

// The same of a connected socket of ours: the other end as client, this one as server.
[[nodiscard]] SshConnection connection_ends(int socket);

}  // namespace muster::probe
