// Shows typed words without letting odd bytes reach the terminal.
#include "spec/in_quotes.hpp"

#include <fmt/format.h>

namespace muster::spec {
namespace {

constexpr std::size_t kShownMax = 60;

bool is_printable(char c) { return c >= ' ' && c <= '~'; }

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string shown = "'";
  for (const char c : text.substr(0, kShownMax)) {
    if (is_printable(c)) {
      shown += c;
    } else {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  if (text.size() > kShownMax) shown += "...";
  return shown + "'";
}

}  // namespace muster::spec
