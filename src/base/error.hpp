// Error: what went wrong, where, why and what to do; Result: a value or an Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace muster::base {

// The closed list of faults that muster itself can report. Each has one exit code, see exit_code().
enum class Fault : std::uint8_t {
  usage,         // words of the command line that make no sense
  bad_file,      // a host list or other input file that cannot be read or understood
  no_slots,      // more ranks than the hosts have room for
  unreachable,   // a host whose agent could not be started or greeted
  cannot_start,  // program or working folder missing on a host, or it cannot be executed there
  lost,          // a host, its agent or its link died while ranks were running
  timeout,       // the job ran longer than --timeout
  internal,      // a fault of muster or of the machine it runs on
  output,        // what was to be printed or kept could not be written
};

// Exit codes 240 to 248 are muster's own; ranks' codes and 128+signal are passed on as they are.
[[nodiscard]] constexpr int exit_code(Fault fault) { return 240 + static_cast<int>(fault); }

// Whether muster's faults have such a code, so that a rank's own code could be taken for one.
[[nodiscard]] constexpr bool looks_like_fault(int code) {
  return code >= exit_code(Fault::usage) && code <= exit_code(Fault::output);
}

// A place in an input: a file with line and column (1-based, 0 = unknown), or the option that was
// typed (then line and column are 0).
struct Place {
  std::string source;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool operator==(const Place&) const = default;
};

// "hosts:3:7", "hosts:3", "-H" or "".
[[nodiscard]] std::string to_string(const Place& place);

struct Error {
  Fault fault = Fault::internal;
  std::string what;  // one line, no full stop, no newline
  std::string hint;  // what to do next, one line; may be empty
  Place place;       // may be empty
  // Other things that are wrong with the same input, in the order in which they are told, and how
  // many there are beyond those.
  std::vector<Error> also = {};
  std::size_t untold = 0;
  bool operator==(const Error&) const = default;
};

// "hosts:3:7: slots must be from 1 to 8, not 0" followed, when there is one, by a line with the
// hint.
[[nodiscard]] std::string to_string(const Error& error);

template <class T>
using Result = tl::expected<T, Error>;

// Collects what is wrong with one input, so that it is told at once.
class Errors {
 public:
  static constexpr std::size_t kTold = 20;

  // With all that it has with it. One that is there already counts once. Those with the same hint
  // are told together.
  void add(Error error);

  [[nodiscard]] bool empty() const { return found_.empty(); }
  [[nodiscard]] bool is_full() const { return found_.size() >= kTold; }

  // The first, which has the others with it. Not if it is empty.
  [[nodiscard]] Error together() &&;

 private:
  void add_one(Error error);

  std::vector<Error> found_;
  std::size_t untold_ = 0;
};

// fail(Fault::usage, "hint", "no such option {}", name) makes the error side of any Result.
template <class... Args>
[[nodiscard]] tl::unexpected<Error> fail(Fault fault, std::string hint,
                                         fmt::format_string<Args...> text, Args&&... args) {
  return tl::unexpected(
      Error{fault, fmt::format(text, std::forward<Args>(args)...), std::move(hint), {}});
}

template <class... Args>
[[nodiscard]] tl::unexpected<Error> fail_at(Place place, Fault fault, std::string hint,
                                            fmt::format_string<Args...> text, Args&&... args) {
  return tl::unexpected(Error{fault, fmt::format(text, std::forward<Args>(args)...),
                              std::move(hint), std::move(place)});
}

}  // namespace muster::base
