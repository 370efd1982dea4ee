// Finds the bytes that are no UTF-8, or no text, and spells them out.
#include "view/utf8.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

#include "base/columns.hpp"

namespace muster::view {
namespace {

[[nodiscard]] unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
}

[[nodiscard]] std::size_t length_for(unsigned lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  return 0;
}

// Second bytes are bounded further, so that overlong forms, surrogates and numbers above U+10FFFF
// are no characters.
[[nodiscard]] bool second_fits(unsigned lead, unsigned second) {
  if (lead == 0xe0) return second >= 0xa0;
  if (lead == 0xed) return second < 0xa0;
  if (lead == 0xf0) return second >= 0x90;
  if (lead == 0xf4) return second < 0x90;
  return true;
}

[[nodiscard]] std::string spelled(unsigned byte) {
  if (byte == '\n') return "\\n";
  if (byte == '\t') return "\\t";
  return fmt::format("\\x{:02x}", byte);
}

// The size of the character that begins at `at`, or 0 when none does.
[[nodiscard]] std::size_t character_size(std::string_view text, std::size_t at) {
  const std::size_t size = length_for(byte_at(text, at));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte_at(text, at + i) & 0xc0u) != 0x80u) return 0;
  }
  if (size > 1 && !second_fits(byte_at(text, at), byte_at(text, at + 1))) return 0;
  return size;
}

}  // namespace

std::string utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = character_size(text, at);
    if (size == 0) {
      out += spelled(byte_at(text, at++));
    } else {
      out += text.substr(at, size);
      at += size;
    }
  }
  return out;
}

std::string one_line(std::string_view text) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
  if (std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string out;
  for (const char c : utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += spelled(byte);
    } else {
      out += c;
    }
  }
  return out;
}

std::string message_line(std::string_view text) {
  return base::shortened(one_line(text), kMessageMax);
}

}  // namespace muster::view
