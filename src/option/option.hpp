// Option: one row of a front end's table: how it is typed, what it takes, what it does. The same
// table drives reading, --help, completion, the manual's test and the hints.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "table/row.hpp"

namespace muster::option {

// What an option takes; completion offers accordingly.
enum class Takes : std::uint8_t { nothing, number, text, file, folder, choice, hosts };

// How many arguments its value takes.
enum class Arity : std::uint8_t {
  one,
  optional,  // only glued on: --opt or --opt=VALUE
  two,       // KEY VALUE
  pair,      // KEY VALUE or KEY=VALUE
};

// Where launchers split a line at ':' into programs: does it speak of one program or of the job?
enum class Scope : std::uint8_t { job, program };

// What most options do not need to say.
struct Traits {
  std::string_view choices = {};  // for Takes::choice: separated by blanks, for completion
  bool repeatable = false;        // otherwise Grammar::again says what a second value means
  bool ends = false;              // nothing after it is read, as after --help
  Arity arity = Arity::one;
  Scope scope = Scope::job;
  table::Support support = {};
};

struct OptionText {
  std::string_view names;  // as typed, dashes included, blanks between: "-n -np --np"
  std::string_view group;  // the head line under which the help shows it
  Takes takes;
  std::string_view argument;  // its word in the help; empty when nothing is taken
  std::string_view help;      // one sentence, with the default
  Traits traits = {};
};

// One option as it was typed: the name in the spelling used, and its value.
struct Typed {
  std::string_view option;
  std::string_view value;
  std::string_view second = {};  // of Arity::two and, unless there was a '=', of Arity::pair
};

// A draft is a request in the making; each front end has its own.
template <class Draft>
using Option = table::Row<Draft, OptionText, Typed, base::Result<void>>;

// The rows of a table, for callers that need no drafts. They point into the table.
using OptionTexts = std::vector<const OptionText*>;

template <class Draft>
[[nodiscard]] OptionTexts texts_of(std::span<const Option<Draft>> table) {
  OptionTexts texts;
  texts.reserve(table.size());
  for (const Option<Draft>& option : table) texts.push_back(&option.text);
  return texts;
}

[[nodiscard]] std::vector<std::string_view> names_of(const OptionText& option);

// "-n, -np, --np, --ranks", as it stands in the help.
[[nodiscard]] std::string joined_names(const OptionText& option, std::string_view separator = ", ");

// "-n, -np, --np, --ranks N: How many ranks to start (...)."
[[nodiscard]] std::string usage_line(const OptionText& option);

// "did you mean core?": the choice that is nearest to an unknown word of a value, in which ',' and
// ':' end words; empty: none is near.
[[nodiscard]] std::string near_choice(const OptionText& option, std::string_view value);

}  // namespace muster::option
