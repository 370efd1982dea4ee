// Grammar: how a launcher spells options: dashes, '=', glued values, abbreviations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::option {

enum class Dashes : std::uint8_t {
  exact,       // as in the table
  one_or_two,  // -bind-to is --bind-to (Open MPI, orte/util/cmd_line.c)
  any,         // ---np is -np (Hydra, src/pm/hydra/lib/utils/args.c)
};

enum class Glued : std::uint8_t { no, numbers, all };  // -n4; also -Hnode1,node2

// A second value of an option that is not repeatable.
enum class Again : std::uint8_t {
  contradiction,  // an error that names both
  last_wins,      // as argparse does
  refused,        // an error, even when both say the same (Hydra)
};

// An option for the whole job after the first ':'.
enum class LateJobOption : std::uint8_t { taken, no_effect, refused };

struct Grammar {
  std::string_view command;         // "muster run", for errors and notices
  std::string_view all = "--help";  // what lists all options
  Dashes dashes = Dashes::exact;
  bool ignore_case = false;
  bool equal_underscore = false;  // nproc_per_node is nproc-per-node
  bool equals_sign = true;        // --opt=VALUE; otherwise refused with a hint
  bool abbreviations = false;     // --nproc for --nproc-per-node, if only one option starts so
  Glued glued = Glued::no;
  Again again = Again::contradiction;
  LateJobOption late = LateJobOption::taken;
  bool anywhere = false;      // options may stand behind words, up to "--": there is no program
  bool dash_is_word = false;  // "-" is what follows the options, such as a file: stdin
  // What to write for an option that another launcher has, or ""; may be null. `name` has no value.
  std::string (*elsewhere)(std::string_view name) = nullptr;
};

}  // namespace muster::option
