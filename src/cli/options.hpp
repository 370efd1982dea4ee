// The options of `muster run`, one table: it drives reading, --help, completion and hints alike.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/run_words.hpp"
#include "cli/values.hpp"

namespace muster::cli {

enum class Group : std::uint8_t { ranks, hosts, reach, environment, output, end, see };
inline constexpr std::size_t kGroups = 7;

// The head line of a group in the help and in the manual.
[[nodiscard]] std::string_view title(Group group);

// What an option takes; completion offers accordingly.
enum class Takes : std::uint8_t { nothing, number, text, file, folder, choice };

// A request in the making.
struct Draft {
  RunRequest request;
  std::string current_folder;
  std::optional<std::string> host_list;  // all -H, joined by commas
  std::string hostfile;
  bool help = false;
};

struct Option {
  std::array<std::string_view, 4> names;  // as typed, dashes included; unused ones are empty
  Group group;
  Takes takes;
  std::string_view argument;  // its word in the help; empty when nothing is taken
  std::string_view help;      // one sentence, with the default
  base::Result<void> (*set)(Draft&, const Typed&);
  bool repeatable = false;        // otherwise a second, different value is an error
  std::string_view choices = {};  // words with blanks between, for completion
};

[[nodiscard]] std::span<const Option> run_options();

// "-n, -np, --np, --ranks", as it stands in the help.
[[nodiscard]] std::string joined_names(const Option& option);

// All spellings of all options.
[[nodiscard]] std::vector<std::string> option_names();

}  // namespace muster::cli
