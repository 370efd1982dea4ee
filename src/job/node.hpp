// Node: one piece of a YAML file, with the place where it stands.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::job {

// Both count from 1; columns count characters, not bytes.
struct Mark {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t file = 0;  // of several that were read together; see Complaints
  auto operator<=>(const Mark&) const = default;
};

struct Node;
// Shared, since an alias is the very node that its anchor named.
using SharedNode = std::shared_ptr<const Node>;

struct Entry {
  std::string key;
  Mark mark;
  SharedNode value;
};

enum class Kind : std::uint8_t { nothing, text, list, map };

struct Node {
  Kind kind = Kind::nothing;
  Mark begin;
  Mark end;
  std::string text;                 // of Kind::text, as it stands there
  bool quoted = false;              // text that can be no number and no true or false
  std::vector<SharedNode> items;    // of Kind::list
  std::vector<Entry> entries = {};  // of Kind::map, in the order written; keys are there once
};

// The entry of a map, or null for what is not there or no map at all.
[[nodiscard]] const Entry* find(const Node& node, std::string_view key);

// "a list", for complaints.
[[nodiscard]] std::string_view word(Kind kind);

}  // namespace muster::job
