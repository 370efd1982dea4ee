// CarrierFlags: how a command that reaches hosts is told their port and the user's key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/job_spec.hpp"

namespace muster::model {

// Empty: the command takes no such thing.
struct CarrierFlags {
  std::string_view port;
  std::string_view identity;
};

// Unknown commands, perhaps scripts around ssh, are assumed to take ssh's options.
[[nodiscard]] CarrierFlags carrier_flags(const std::vector<std::string>& command);

// "-p 2222 -i KEY", as far as it is said and the command takes it. `port`: the host's own, or 0.
[[nodiscard]] std::vector<std::string> flag_words(const CarrierSpec& carrier, std::uint32_t port);

// What people call a carrier: its first word, or the name that a script for /bin/sh has.
[[nodiscard]] std::string carrier_name(const std::vector<std::string>& words);

}  // namespace muster::model
