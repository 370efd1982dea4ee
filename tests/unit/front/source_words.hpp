// What muster's sources and its Python package may print: string literals, those in a row as one,
// and lines of raw ones.
#pragma once

#include <string>
#include <vector>

namespace muster::front {

struct SourceWords {
  std::string file;         // below the repository
  std::string text;         // escapes as in the source, but for quotes and newlines
  bool is_example = false;  // a line of a help text that is set off from it
};

[[nodiscard]] std::vector<SourceWords> source_words();

}  // namespace muster::front
