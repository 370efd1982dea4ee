// Carrier: how the head and the agent of a host come to talk, as the properties that others ask
// for.
#pragma once

#include <string_view>

namespace muster::model {

struct Carrier {
  std::string_view word;        // in the plan that programs read: "ssh"
  bool in_head = false;         // the head itself is the agent there: no link is needed
  bool opened = false;          // the head starts the agent whenever it needs one
  bool same_machine = false;    // as the launching shell: its cpus, devices and environment
  bool is_share = false;        // one of several nodes that share the machine's cpus and devices
  bool own_console = false;     // ranks' output is shown where the agent was started
  bool tells_identity = false;  // hosts whose agents tell the same identity are one host
  // The launching shell's, and no share of it.
  [[nodiscard]] constexpr bool is_this_machine() const { return same_machine && !is_share; }
  bool operator==(const Carrier&) const = default;
};

}  // namespace muster::model
