// Pattern: one glob of an ignore file, as git's wildmatch reads it. Pure.
//
// `*` and `?` do not match a slash; `**` between slashes matches any number of folders, none
// included. Matching takes a time of pattern times path at most, whatever the pattern.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::snapshot {

class Pattern {
 public:
  Pattern() = default;
  explicit Pattern(std::string_view text);

  [[nodiscard]] bool matches(std::string_view path) const;

 private:
  using Bytes = std::bitset<256>;
  // What a path must go on with.
  struct Part {
    enum class Kind : std::uint8_t {
      one,      // of `bytes`
      many,     // of `bytes`, any number of them
      folders,  // "**/": the two parts after it, or neither of them
    };
    Kind kind = Kind::one;
    std::shared_ptr<const Bytes> bytes = {};
  };
  class Reader;

  [[nodiscard]] bool matches_parts(std::string_view path) const;

  std::string literal_;  // of a pattern without special characters
  std::vector<Part> parts_;
  bool is_literal_ = false;
  bool never_ = false;  // it is malformed, and matches nothing
};

}  // namespace muster::snapshot
