// Link: the frames between the head and one agent, over the stdin and stdout of a carrier process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/by_hand.hpp"
#include "model/inventory.hpp"
#include "model/retry.hpp"
#include "process/guard.hpp"
#include "wire/frame.hpp"

namespace muster::link {

// What a carrier process prints and how it ends says why a host could not be reached. A carrier
// that could not be started at all has code 127 and said nothing.
struct CarrierEnd {
  std::int32_t code = 0;
  std::int32_t signal = 0;
  std::string errors;  // the carrier's stderr, at most 16 KiB, the end of it
  std::string noise;   // what came on stdout instead of an agent
};

struct Diagnosis {
  base::Error error;  // names the host
  model::Retry retry = model::Retry::no;
};

// A host, and the way to it.
struct Reached {
  std::string host;
  std::string agent;    // the path of the agent there
  std::string carrier;  // the first word of the carrier's command
  model::ByHand by_hand = {};
};

// Pure: reads ssh's own messages (OpenSSH 7 to 9), the shell's "not found", and exit codes.
// Commands in the hint go the way that the carrier has gone.
[[nodiscard]] Diagnosis diagnose(const Reached& whom, const CarrierEnd& end);

// Pure: the error of a link that ended while its agent was needed.
[[nodiscard]] base::Error lost(const std::string& host, const std::string& carrier,
                               const CarrierEnd& end);

// Pure: the command line that starts the agent on a host. ssh: command..., -T -x -o BatchMode=yes
// [-p N] [-i FILE] [user@]host, then the remote command as one word that every shell understands. A
// name or user that starts with a dash is refused.
[[nodiscard]] base::Result<std::vector<std::string>> carrier_words(
    const model::CarrierSpec& carrier, const model::Host& host, const std::string& agent_path);

// Pure: the same by a step of the Slurm job around, for a host of that job. `name`: the step's.
[[nodiscard]] std::vector<std::string> step_words(const model::CarrierSpec& carrier,
                                                  const model::Host& host, const std::string& name,
                                                  const std::string& agent_path);

// Set for an agent that a step has started.
inline constexpr std::string_view kStepMark = "MUSTER_STEP";

// Pure: srun's environment, with that mark. Without what the job's own options, or the step that we
// are in, would have our step wish for: srun takes such variables for options (srun.1, INPUT
// ENVIRONMENT VARIABLES), and 22.05 would give it the cpus of one task only.
[[nodiscard]] std::vector<std::string> step_environment(std::vector<std::string> environment);

struct LinkEvents {
  std::function<void()> up;                                   // the magic line has come
  std::function<void(base::RunIndex, wire::ToHead)> message;  // never Output
  std::function<void(base::RunIndex, const wire::OutputView&)> output;
  std::function<void(base::Error)> broken;  // bad bytes; the link is closed by then
  std::function<void()> closed;             // end of file from the carrier
};

// The head's end of a link. The carrier process itself is started and reaped through the guard.
// The process must ignore SIGPIPE. Every callback may close or destroy the link it comes from.
class Link {
 public:
  // Takes the head's ends of the three pipes. `host`: the number of the one at the other end.
  Link(asio::io_context& loop, base::NodeIndex host, process::UniqueFd to_agent,
       process::UniqueFd from_agent, process::UniqueFd errors, LinkEvents events);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void send(base::RunIndex run, const wire::ToAgent& message);
  // The frame of a message that goes over other links as well; they share its bytes.
  void send(std::shared_ptr<const std::string> frame);
  // What another head calls the host at the other end, from now on. The agent learns it from that
  // head's greeting; what it sent before is still heard.
  void renumber(base::NodeIndex host);
  // No further event is called; the agent sees the end of its stdin.
  void close();
  [[nodiscard]] std::string errors() const;  // carrier's stderr so far, bounded
  [[nodiscard]] std::string noise() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

struct AgentLinkEvents {
  std::function<void(base::RunIndex, wire::ToAgent)> message;
  // The first frame says that another agent is to be reached through this one. Nothing more is
  // read; `rest` is what has come behind it.
  std::function<void(wire::Contain, std::string rest)> contain;
  std::function<void(base::Error)> broken;
  std::function<void()> closed;
};

// The agent's end, over its own stdin and stdout. Writes the magic line when made.
class AgentLink {
 public:
  AgentLink(asio::io_context& loop, AgentLinkEvents events);
  // The same over other descriptors.
  AgentLink(asio::io_context& loop, process::UniqueFd from_head, process::UniqueFd to_head,
            AgentLinkEvents events);
  ~AgentLink();
  AgentLink(const AgentLink&) = delete;
  AgentLink& operator=(const AgentLink&) = delete;

  void send(base::RunIndex run, const wire::ToHead& message);
  void send_output(base::RunIndex run, base::Rank rank, wire::Stream stream,
                   std::string_view bytes);
  // Calls back once everything sent so far has been written (or the link has gone).
  void drain(std::function<void()> done);
  // Nobody listens any more: closes both ends, forgets what waits, calls no event.
  void drop();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace muster::link
