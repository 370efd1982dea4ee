// Where nodes that were started each by itself meet: node 0 listens, the others come.
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

// Whoever waits is told after the first, and then every next.
inline constexpr base::Duration kFirstProgress = std::chrono::seconds(3);
inline constexpr base::Duration kNextProgress = std::chrono::seconds(30);

struct Guest {
  wire::Join join;
  process::UniqueFd connection;  // at whose other end an agent will speak
};

struct MeetingEvents {
  std::function<void(const std::string&)> say;  // a line for people
};

// Whether the address is one of this machine's.
[[nodiscard]] bool is_here(const std::string& host);

// Listens at the meeting's address until all other nodes have come; index: node - 1. The port is
// free again on return, also for a program that sets SO_REUSEADDR while the guests' connections
// last. Fault::unreachable names the nodes that have not come in time; Fault::cannot_start: another
// program, or muster, listens there.
[[nodiscard]] base::Result<std::vector<Guest>> hold_meeting(const model::Meeting& meeting,
                                                            const MeetingEvents& events);

// Goes to node 0 of the meeting, waits until all have come, and returns the connection, on which an
// agent is expected to speak.
[[nodiscard]] base::Result<process::UniqueFd> join_meeting(const model::Meeting& meeting,
                                                           const wire::Join& join,
                                                           const MeetingEvents& events);

}  // namespace muster::head
