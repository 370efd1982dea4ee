// Key: one row of a dialect's table: a key of a file, the form of its value, where it goes. The
// same tables drive reading, complaints and the schema.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/job_file.hpp"
#include "table/row.hpp"

namespace muster::job {

using table::no_effect;
using table::refused;

enum class Form : std::uint8_t {
  none,      // no text of any kind: a map with keys of its own
  text,      // any text; numbers, true and false count as they are written
  count,     // whole, within the bounds
  number,    // with or without a fraction
  integer,   // whole, from `lowest` to kIntegerMax
  batch,     // a number of files, or of bytes: "10kb"
  boolean,   // true or false
  quantity,  // "2Gi", "500m", "4"
  choice,    // one of some words
  anything,  // maps and lists, too; nobody looks
};

inline constexpr std::int32_t kIntegerMax = 2'147'483'647;  // of Form::integer

// A choice that others have: not muster.
struct NotHere {
  std::string_view word = {};
  std::string_view why = {};
  std::string_view hint = {};
};

// What most keys do not need to say.
struct Traits {
  std::string_view choices = {};  // of Form::choice, with blanks between
  bool any_case = false;          // a choice may be written MPI as well as mpi
  bool each = false;              // a map of names that people choose, each with such a value
  bool listed = false;            // also a list of such values
  bool required = false;
  bool open = false;        // of a map: keys that nobody knows have no effect, and are told
  bool fixed = false;       // in a step, no value of the pipeline's takes its place
  std::uint32_t least = 1;  // of Form::count
  std::uint32_t most = 1'000'000;
  std::int32_t lowest = 0;  // of Form::integer
  bool positive = false;    // Form::number: above 0
  NotHere not_here = {};    // of Form::choice
  table::Support support = {};
};

struct KeyText {
  std::string_view name;
  Form form;
  std::string_view help;  // one sentence
  Traits traits = {};
};

// A value as it was found: a map's, a list's item, or one text.
struct Found {
  std::string_view key;
  Mark key_mark;
  const Node& node;
  bool in_list = false;
};

template <class Draft>
using Key = table::Row<Draft, KeyText, Found, void>;

template <class Draft>
using Table = std::span<const Key<Draft>>;

// A value of a step that inputs of its pipeline give: it is stored when they are known.
template <class Draft>
struct Later {
  const Key<Draft>* key = nullptr;
  std::string path;  // "resources.instance_count"
  std::string name;  // of the key as it was found
  Mark mark;         // of that
  Node node;         // the text with expressions
};

// What is wrong with a text as the value of such a key: "must be true or false, not 'yes'".
struct Misfit {
  std::string what;
  std::string hint;
};
[[nodiscard]] std::optional<Misfit> misfit(const KeyText& key, const Node& node);

// The form in words, for complaints: "a whole number from 1 to 100".
[[nodiscard]] std::string words_of(const KeyText& key);

// The hint for an unknown key: the nearest one of those that may be meant, else all that there are.
[[nodiscard]] std::string key_hint(std::string_view typed, const std::vector<std::string>& meant,
                                   const std::vector<std::string>& known);

// ---- where values go: only what misfit() has let through arrives here ----

void store(Text& to, const Found& found);
void store(Count& to, const Found& found);
void store(bool& to, const Found& found);
void store(std::vector<Text>& to, const Found& found);
void store(std::vector<Named>& to, const Found& found);

template <class T>
void store(std::optional<T>& to, const Found& found) {
  if (found.node.kind == Kind::text) store(to.emplace(), found);
}

// The setter for a member of a member of ... a draft.
template <class Draft, auto... Members>
void into(Draft& draft, const Found& found) {
  store((draft.*....*Members), found);
}

}  // namespace muster::job
