// Join: what comes to a head tells it: a node that was started separately about its part of the
// job, or an agent (`muster join`) whose host the head may use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "wire/messages.hpp"

namespace muster::wire {

inline constexpr std::uint32_t kJoinMax = 4u << 20;  // bytes; a command line is at most 2 MiB

struct Join {
  std::uint32_t protocol = kProtocol;
  std::string version = {};                // of the program, for messages only
  std::uint32_t nodes = 0;                 // that it expects; 0: an agent that was not told
  std::optional<std::uint32_t> node = {};  // nothing: any number will do
  std::string hostname = {};
  std::uint32_t ranks = 1;
  std::string role = {};
  std::vector<std::string> command = {};
  std::string workdir = {};
  std::vector<NameValue> environment = {};  // what takes the place of a default of muster's
  bool called = false;    // an agent: it has no part of its own, the head decides what runs there
  std::string user = {};  // for messages only: nobody checks it
  bool operator==(const Join&) const = default;
};

[[nodiscard]] std::string encode(const Join& join);
[[nodiscard]] base::Result<Join> decode_join(std::string_view bytes);

}  // namespace muster::wire
