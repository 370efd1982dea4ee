// environment: the variables by which a rank finds its PMIx server, known before one runs.
//
// PMIx_server_setup_fork() would write them, but a server costs 15 ms and threads, and most
// programs are not MPI. All that it writes can be said without it: the port is that of our own
// listening socket.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace muster::pmix {

struct ClientIdentity {
  std::string server;  // the namespace of the first job, by which the servers are known
  std::string nspace;  // the rank's own: the same, unless it was spawned
  std::uint32_t rank = 0;
  std::uint32_t node = 0;
  std::string host;        // the node's name, as in JobNode
  std::string scratch;     // as in AddJob
  std::uint16_t port = 0;  // of the agent's Listener
  bool crowded = false;    // more ranks than cores: waiting ranks should yield
};

// The server's own namespace, next to that of the job.
[[nodiscard]] std::string server_nspace(const std::string& nspace);

using Variables = std::vector<std::pair<std::string, std::string>>;

// What every PMIx client reads.
[[nodiscard]] Variables client_variables(const ClientIdentity& client);

// What Open MPI 4 needs besides, to believe that it was launched, and to keep its files in one
// place. The user's own OMPI_MCA_ settings should win over these.
[[nodiscard]] Variables open_mpi_variables(const ClientIdentity& client);

}  // namespace muster::pmix
