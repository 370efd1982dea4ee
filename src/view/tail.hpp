// The last lines of a rank's stderr: made safe to print, and the one that tells most.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace muster::view {

inline constexpr std::size_t kLineMax = 400;  // bytes of one printed line of a tail

// What a terminal would show of the line: no control bytes or escape sequences, only what follows
// the last carriage return (progress bars), at most `max` bytes, cut between UTF-8 characters.
[[nodiscard]] std::string printable(std::string_view line, std::size_t max = kLineMax);

// What stands below NCCL's "Last error:", in a message of torch too: that tells more than the kind
// of error above it.
[[nodiscard]] std::optional<std::string> last_error(std::span<const std::string> lines);

// Tasks that a barrier of JAX, or of TensorFlow's coordination service, has waited for in vain, as
// it numbers them: "1, 3". Its message lists them below its other lines, and not all where they are
// many. Empty: the lines have no such message.
[[nodiscard]] std::string absent_tasks(std::span<const std::string> lines);

// The line that names the cause, if one of a known shape is there: the end of a Python traceback,
// the what() of a C++ exception, a fatal message of glog, a panic, a failed assertion, a message of
// the system.
[[nodiscard]] std::optional<std::string> telling_line(std::span<const std::string> tail);

}  // namespace muster::view
