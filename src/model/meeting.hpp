// Meeting: how nodes whose launchers were started separately find each other.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.hpp"

namespace muster::model {

struct Meeting {
  std::string host;                   // of node 0, which listens: a name or an address
  std::uint32_t port = 29500;         // where it does
  std::uint32_t nodes = 2;            // of the job
  std::optional<std::uint32_t> node;  // this one; nothing: whoever has the address is 0, and others
                                      // are numbered as they come
  std::string secret;                 // known to all nodes of the job, not to strangers
  base::Duration limit = std::chrono::minutes(10);  // until all have come
  bool is_guessable = false;  // the secret: whoever reaches the place may know it
  bool operator==(const Meeting&) const = default;
};

}  // namespace muster::model
