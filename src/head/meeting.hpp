// The rendezvous of nodes that were started separately: node 0 listens, the others connect.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/time.hpp"
#include "model/meeting.hpp"
#include "process/unique_fd.hpp"
#include "wire/join.hpp"

namespace muster::head {

// Progress is reported to who waits after the first, and then every next.
inline constexpr base::Duration kFirstProgress = std::chrono::seconds(3);
inline constexpr base::Duration kNextProgress = std::chrono::seconds(30);

struct Guest {
  wire::Join join;
  process::UniqueFd connection;  // an agent is at its other end
};

struct MeetingEvents {
  std::function<void(const std::string&)> say;  // a line for people
};

// Whether the address is one of this machine's.
[[nodiscard]] bool is_here(const std::string& host);

// Listens at the meeting's address until all other nodes have joined; index: node - 1. The port is
// free again on return, also for a program that sets SO_REUSEADDR while the guests' connections
// last. Fault::unreachable names the nodes that did not join in time; Fault::cannot_start: another
// program, or muster, listens there.
[[nodiscard]] base::Result<std::vector<Guest>> hold_meeting(const model::Meeting& meeting,
                                                            const MeetingEvents& events);

// Connects to node 0 of the meeting, waits until all nodes have joined, and returns the connection,
// on which node 0 expects an agent.
[[nodiscard]] base::Result<process::UniqueFd> join_meeting(const model::Meeting& meeting,
                                                           const wire::Join& join,
                                                           const MeetingEvents& events);

}  // namespace muster::head
