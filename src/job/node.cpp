// Looks into the pieces of a YAML file.
#include "job/node.hpp"

#include <algorithm>

namespace muster::job {

const Entry* find(const Node& node, std::string_view key) {
  const auto found = std::ranges::find(node.entries, key, &Entry::key);
  return found == node.entries.end() ? nullptr : &*found;
}

std::string_view word(Kind kind) {
  switch (kind) {
    case Kind::nothing:
      return "nothing";
    case Kind::text:
      return "text";
    case Kind::list:
      return "a list";
    case Kind::map:
      return "a map";
  }
  return "";
}

}  // namespace muster::job
