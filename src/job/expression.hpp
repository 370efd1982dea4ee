// Expressions in a job file's texts: ${{inputs.lr}}, and {inputs.lr} in components.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/job_file.hpp"

namespace muster::job {

struct Piece {
  enum class Kind : std::uint8_t {
    literal,
    input,
    output,
    open,   // $[[, a part that is left out when an input in it has no value
    close,  // ]]
    wrong,  // not a valid expression; `text` says why
  };
  Kind kind;
  std::string text;      // literal text, or the name of an input or output
  std::string_view raw;  // as it stands in the whole text
};

// The pieces of a text, which must outlive them.
[[nodiscard]] std::vector<Piece> pieces_of(std::string_view text, Dialect dialect);

// What an expression can name: letters, digits, _ and -.
[[nodiscard]] bool is_name(std::string_view text);

// A file or folder that the processes find in the record, though it lies elsewhere.
struct Download {
  std::string path;         // in the record
  std::string from;         // a path, or an address to be fetched from
  std::string sha256 = {};  // that it must have; empty: any
  bool operator==(const Download&) const = default;
};

// What expressions stand for. An input without a value is there, with nothing.
struct Values {
  std::map<std::string, std::optional<std::string>, std::less<>> inputs;
  std::map<std::string, std::string, std::less<>> outputs;
  std::vector<Download> downloads = {};
  std::map<std::string, std::string, std::less<>> digests = {};  // of inputs that are fetched
};

// The text with its expressions replaced, exactly: nothing is quoted. The names are known and right
// (see check()). Nothing when an input without a value stands outside of $[[ ]].
[[nodiscard]] std::optional<std::string> expand(std::string_view text, Dialect dialect,
                                                const Values& values);

}  // namespace muster::job
