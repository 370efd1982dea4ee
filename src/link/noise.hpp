// Noise: describes what a carrier printed on stdout in place of an agent's frames.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace muster::link {

// The first line that is not blank, fit for an error message: printable, at most 120 bytes.
[[nodiscard]] std::string first_line(std::string_view text);

// The protocol number in the magic line of a muster that speaks another one than this.
[[nodiscard]] std::optional<std::string> other_protocol(std::string_view noise);
[[nodiscard]] base::Error other_protocol_error(std::string_view who, std::string_view protocol);

}  // namespace muster::link
