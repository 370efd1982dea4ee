// The one listener that a head has, for what was started separately: node 0 of a job waits for the
// other nodes, or a head for the hosts that it may use. The others connect.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/time.hpp"
#include "machine/company.hpp"
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

// Listens at the meeting's address until all others have joined; in the order of their numbers. The
// port is free again on return, also for a program that sets SO_REUSEADDR while the guests'
// connections last. Fault::unreachable names the nodes that did not join in time;
// Fault::cannot_start: another program, or muster, listens there.
[[nodiscard]] base::Result<std::vector<Guest>> hold_meeting(
    const model::Meeting& meeting, const MeetingEvents& events,
    const machine::Company& company = machine::kNodesOfAJob);

// Connects to where the meeting is, waits until all nodes have joined, and returns the connection,
// on which an agent is expected here.
[[nodiscard]] base::Result<process::UniqueFd> join_meeting(
    const model::Meeting& meeting, const wire::Join& join, const MeetingEvents& events,
    const machine::Company& company = machine::kNodesOfAJob);

}  // namespace muster::head
