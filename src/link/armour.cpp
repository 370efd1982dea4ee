// Base 64 (RFC 4648) behind a mark.
#include "link/armour.hpp"

#include <array>
#include <cstdint>
#include <nettle/base64.h>
#include <utility>

namespace muster::link {
namespace {

constexpr std::string_view kMark = "muster=";
constexpr std::size_t kPiece = 12'000;  // a multiple of three: no padding but at the end
// What is longer is no line of ours, and is not kept.
constexpr std::size_t kForeignMax = std::size_t{1} << 20;

void add_line(std::string& text, std::string_view bytes) {
  std::string letters(BASE64_ENCODE_RAW_LENGTH(bytes.size()), '\0');
  ::nettle_base64_encode_raw(letters.data(), bytes.size(),
                             reinterpret_cast<const std::uint8_t*>(bytes.data()));
  text += kMark;
  text += letters;
  text += '\n';
}

// Empty: it is no armour.
std::string bytes_of(std::string_view line) {
  if (!line.starts_with(kMark)) return {};
  line.remove_prefix(kMark.size());
  base64_decode_ctx context{};
  ::nettle_base64_decode_init(&context);
  std::string bytes(BASE64_DECODE_LENGTH(line.size()), '\0');
  std::size_t size = bytes.size();
  const bool good =
      ::nettle_base64_decode_update(&context, &size, reinterpret_cast<std::uint8_t*>(bytes.data()),
                                    line.size(), line.data()) == 1 &&
      ::nettle_base64_decode_final(&context) == 1;
  bytes.resize(good ? size : 0);
  return bytes;
}

}  // namespace

std::string armoured(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += kPiece)
    add_line(text, bytes.substr(at, kPiece));
  return text;
}

std::string Unarmour::take(std::string_view text) {
  std::string bytes;
  for (;;) {
    const std::size_t end = text.find('\n');
    line_ += text.substr(0, end);
    if (line_.size() > kForeignMax) bytes += std::exchange(line_, {});
    if (end == std::string_view::npos) return bytes;
    text.remove_prefix(end + 1);
    const std::string plain = bytes_of(line_);
    bytes += plain.empty() ? line_ + '\n' : plain;
    line_.clear();
  }
}

std::string Unarmour::rest() { return std::exchange(line_, {}); }

}  // namespace muster::link
