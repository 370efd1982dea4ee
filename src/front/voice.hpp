// Voice: how muster speaks to the person who has called one of its own commands: colours, notes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "front/front.hpp"
#include "front/table.hpp"

namespace muster::front {

// Variables that say the same for all commands, those of other launchers too.
inline constexpr const char* kColor = "MUSTER_COLOR";  // auto, always or never
inline constexpr const char* kQuiet = "MUSTER_QUIET";  // anything: no notes and no progress
inline constexpr std::string_view kColours = "auto always never";

inline constexpr std::string_view kColorNames = "--color --colour";
inline constexpr std::string_view kQuietNames = "-q --quiet";
inline constexpr std::string_view kVersionNames = "--version";

struct Voice {
  std::string colour = {};  // one of kColours; empty: nobody has said it
  bool quiet = false;
  bool version = false;  // of muster is asked for, and nothing else
};

// As far as the words can be read. Commands without these options say nothing.
[[nodiscard]] Voice voice(const Front& front, std::span<const std::string> words);

[[nodiscard]] base::Result<void> check_colours(const Typed& typed);

// The rows of these options. They do nothing to a draft: what they say is known before a command
// is read, which may be in vain.
template <class Draft>
[[nodiscard]] constexpr Option<Draft> color_row(std::string_view group) {
  return {{kColorNames,
           group,
           Takes::choice,
           "WHEN",
           "Colours: auto (on a terminal), always or never (default: MUSTER_COLOR, else auto).",
           {.choices = kColours}},
          [](Draft&, const Typed& typed) { return check_colours(typed); }};
}

template <class Draft>
[[nodiscard]] constexpr Option<Draft> quiet_row(std::string_view group) {
  return {{kQuietNames, group, Takes::nothing, "",
           "Print errors and output only, no notes and no progress."},
          nullptr};
}

template <class Draft>
[[nodiscard]] constexpr Option<Draft> version_row(std::string_view group) {
  return {{kVersionNames, group, Takes::nothing, "", "Show muster's version.", {.ends = true}},
          nullptr};
}

}  // namespace muster::front
