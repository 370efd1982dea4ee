// The events and effects of the head's machine.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "base/time.hpp"
#include "model/inventory.hpp"
#include "model/job_spec.hpp"
#include "model/plan.hpp"
#include "model/retry.hpp"
#include "model/run_event.hpp"
#include "model/world.hpp"
#include "wire/messages.hpp"

namespace muster::machine {

using model::Retry;

using base::kFirstRun;

// ---- events -----------------------------------------------------------------------------------

struct LinkUp {
  base::NodeIndex node;
};
struct LinkFailed {  // the carrier ended, or was ended, before the agent spoke
  base::NodeIndex node;
  base::Error error;
  Retry retry = Retry::no;
};
struct LinkLost {  // after LinkUp; expected once the agent has stopped
  base::NodeIndex node;
  base::Error error;
};
struct Heard {
  base::NodeIndex node;
  wire::ToHead message;
  base::RunIndex run = kFirstRun;
};
struct Printed {  // bytes of a rank's output have come; they go their own way, to the console
  base::NodeIndex node;
  base::Rank rank;
  std::string errors;  // those of its stderr, for the report's last lines
  base::RunIndex run = kFirstRun;
};
struct UserSignal {
  std::int32_t number = 0;
};
struct InputBytes {
  std::string bytes;
};
struct InputEnded {};
// Nobody reads our stdout any more.
struct OutputClosed {
  bool was_terminal = false;
};
struct GlooServed {  // the answer to ServeGloo
  struct At {
    std::string address;
    std::uint16_t port = 0;
  };
  base::Result<At> at;
  base::RunIndex run = kFirstRun;
};
// Somebody has put the addresses of a rank into the store, from an address of the job's hosts, or
// over this machine's loopback, for which it is empty. There may be no such rank.
struct GlooJoined {
  base::Rank rank;
  std::string from;
  base::RunIndex run = kFirstRun;
};
// When the batch job around is to end, which somebody else will see to.
struct AllocationEnds {
  std::int64_t at = 0;  // seconds since 1970
  base::Duration left{};
};
struct HostSeen {  // the answer to LookForHost
  base::NodeIndex node;
  bool answers = false;  // its machine does, or its agent, on this machine, is not stopped
};
struct HeadTick {};

using HeadEvent =
    std::variant<LinkUp, LinkFailed, LinkLost, Heard, Printed, UserSignal, InputBytes, InputEnded,
                 OutputClosed, GlooServed, GlooJoined, AllocationEnds, HostSeen, HeadTick>;

// ---- effects, to be performed in order --------------------------------------------------------

struct OpenLink {
  base::NodeIndex node;
  bool operator==(const OpenLink&) const = default;
};
// One more host, numbered after all others. Comes before its OpenLink.
struct AddHost {
  base::NodeIndex node;
  model::Host host;
  bool operator==(const AddHost&) const = default;
};
struct CloseLink {  // end the carrier; nothing more will be heard of it
  base::NodeIndex node;
  bool operator==(const CloseLink&) const = default;
};
// Whoever opens this host next is to have the link, in this head or in the next of this process.
// The agent keeps `run`, without a lease, until another run has been greeted there.
struct KeepLink {
  base::NodeIndex node;
  base::RunIndex run = kFirstRun;
  bool operator==(const KeepLink&) const = default;
};
// What has come from its machine in the last half of `lease`? Answered by HostSeen.
struct LookForHost {
  base::NodeIndex node;
  std::string address;  // of its machine; may be empty
  base::Duration lease{0};
  bool operator==(const LookForHost&) const = default;
};
struct ToNode {
  base::NodeIndex node;
  wire::ToAgent message;
  base::RunIndex run = kFirstRun;
  bool operator==(const ToNode&) const = default;
};
// The same to all of them, encoded once.
struct ToNodes {
  std::vector<base::NodeIndex> nodes;  // ascending
  wire::ToAgent message;
  base::RunIndex run = kFirstRun;
  bool operator==(const ToNodes&) const = default;
};
// A world that was spawned. Comes before any of its ranks is started, and before its Spawned.
struct AddWorld {
  model::World world;
  std::vector<model::PlannedRank> ranks;  // by number in the world
  std::uint32_t window = 0;               // first credit of each of its output streams, bytes
  base::RunIndex run = kFirstRun;
  bool operator==(const AddWorld&) const = default;
};
// Serve the key-value store of a Horovod job's gloo; answered by GlooServed.
struct ServeGloo {
  std::string interface;  // of this machine; empty: the one with `address`
  std::string address;
  std::map<std::string, std::uint32_t> members;  // ranks of each scope
  std::set<std::string> hosts;                   // addresses of all hosts of the job
  base::RunIndex run = kFirstRun;
  bool operator==(const ServeGloo&) const = default;
};
// All ranks will be started again.
struct NewRound {
  base::RunIndex run = kFirstRun;
  bool operator==(const NewRound&) const = default;
};
struct Tell {  // those that record and show the run
  model::RunEvent event;
  base::RunIndex run = kFirstRun;
  bool operator==(const Tell&) const = default;
};
struct Say {  // one line for people, of no run: on stderr
  std::string text;
  bool operator==(const Say&) const = default;
};
struct ReadInput {  // our stdin: go on reading, or pause
  bool on = false;
  base::RunIndex run = kFirstRun;
  bool operator==(const ReadInput&) const = default;
};
struct SuspendSelf {  // after Ctrl-Z; comes back as UserSignal SIGCONT
  bool operator==(const SuspendSelf&) const = default;
};
// All its ranks have ended, and its report is complete.
struct RunOver {
  base::RunIndex run = kFirstRun;
  bool operator==(const RunOver&) const = default;
};
struct Finish {
  bool operator==(const Finish&) const = default;
};

using HeadEffect =
    std::variant<OpenLink, AddHost, CloseLink, KeepLink, LookForHost, ToNode, ToNodes, AddWorld,
                 NewRound, ServeGloo, Tell, Say, ReadInput, SuspendSelf, RunOver, Finish>;
using HeadEffects = std::vector<HeadEffect>;

}  // namespace muster::machine
