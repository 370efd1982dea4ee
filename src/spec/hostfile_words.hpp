// The words of a hostfile with their places; blanks and comments are gone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace muster::spec {

struct HostfileWord {
  std::string_view text;  // "=" is always a word of its own
  base::Place place;
};

// Hands out a hostfile line by line. The text outlives it.
class HostfileWords {
 public:
  HostfileWords(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  [[nodiscard]] bool done() const { return at_ >= text_.size(); }

  // The words of the next line; empty for a blank one. A block comment may join lines. The only
  // complaint is a block comment without an end.
  [[nodiscard]] base::Result<std::vector<HostfileWord>> next_line();

 private:
  [[nodiscard]] bool at_comment() const;
  [[nodiscard]] bool at_word() const;
  [[nodiscard]] base::Place here() const;
  void end_line();
  [[nodiscard]] base::Result<void> skip_comment();
  [[nodiscard]] HostfileWord take_word();

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::size_t line_start_ = 0;
};

}  // namespace muster::spec
