// Sight: what a batch system says of one of its jobs. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/record.hpp"

namespace muster::batch {

enum class Stage : std::uint8_t {
  waiting,  // in the queue
  running,  // it has hosts; whether its script runs already, the record of the run says
  over,
};

// How one that is over has ended.
enum class How : std::uint8_t {
  exited,     // its script has: `code`
  cancelled,  // by a person
  timed_out,
  node_lost,
  no_memory,
  preempted,
  other,
};

struct Sight {
  std::string id;
  Stage stage = Stage::waiting;
  How how = How::other;
  std::string state;  // in the system's own word
  // Why it waits, and what to do, or how it ended, in its words; may be empty.
  std::string reason = {};
  std::string queued = {};       // when it was submitted, or queued again, like `start`
  std::string start = {};        // when it is expected to start: "2026-11-23 22:50"; may be empty
  std::string hosts = {};        // in its own form; without those that were lost
  std::string script_host = {};  // where its script runs; may be empty
  std::optional<int> code = {};  // of the script; 128 + a signal that ended it
  std::optional<model::Utc> began = {};  // of one that has, or had, hosts, where that is known
  std::optional<model::Utc> ended = {};  // of one that is over, where the system knows it
  bool operator==(const Sight&) const = default;
};

}  // namespace muster::batch
