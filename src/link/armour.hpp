// Armour: bytes as lines of text, for carriers that pass on whole lines, and none with a null byte.
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace muster::link {

// Lines of at most 16 KiB; none for no bytes.
[[nodiscard]] std::string armoured(std::string_view bytes);

// The bytes again. A line without armour, of somebody else's, is passed on as it is.
class Unarmour {
 public:
  [[nodiscard]] std::string take(std::string_view text);
  // At the end of the text: what is no whole line.
  [[nodiscard]] std::string rest();

 private:
  std::string line_;
};

}  // namespace muster::link
