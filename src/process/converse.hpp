// converse: runs another program to its end, with its stdin, stdout and stderr in our hands.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/time.hpp"

namespace muster::process {

struct Conversation {
  std::vector<std::string> words;        // the first is looked up in this process's PATH
  std::vector<std::string> environment;  // of the program, "NAME=VALUE"
  int input = -1;                        // a regular file that it reads from here on; -1: nothing
  // It is killed then, counted from its late input if it has one; 0: it may take as long as it
  // likes.
  base::Duration limit{0};
  // Hears its stdout as it comes; none: that is kept.
  std::function<void(std::string_view)> heard = {};
  // Asked fifty times a second, since a signal shall be heard soon; the program is killed once it
  // says no.
  std::function<bool()> goes_on = {};
  // In place of `input`: makes what it reads, while it starts. Nothing: it is killed, and
  // never sees the end of its input.
  std::function<std::optional<std::string>()> late_input = {};
};

struct Answer {
  int code = 0;    // when `signal` is 0
  int signal = 0;  // that ended it
  std::string out;
  std::string err;           // its last 64 KiB
  bool is_cut = false;       // by the limit
  bool is_given_up = false;  // `goes_on` said no, or there was no late input
  [[nodiscard]] bool ended_well() const { return code == 0 && signal == 0; }
};

// What it says may have at most so many bytes, or it is killed: Fault::internal.
inline constexpr std::size_t kAnswerMax = std::size_t{256} << 20;

// Fault::cannot_start: there is no such program, or it cannot be started.
[[nodiscard]] base::Result<Answer> converse(const Conversation& conversation);

}  // namespace muster::process
