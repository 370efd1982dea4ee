// MeetingPoint: where the ranks of a world find each other, the same on every host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster::model {

struct MeetingPoint {
  std::string address;                 // MASTER_ADDR: of the first node, reachable from the others
  std::string port;                    // MASTER_PORT
  std::vector<std::string> addresses;  // per node: its own address
  std::uint32_t round = 0;             // how often the ranks were started before
  bool among_hosts = false;            // ranks talk to other nodes than their own
  std::string deadline = {};           // MUSTER_DEADLINE: when the job is ended; empty: never
  std::string gloo_address = {};       // where the head serves gloo's store, once it does
  std::string gloo_port = {};
  bool operator==(const MeetingPoint&) const = default;
};

}  // namespace muster::model
