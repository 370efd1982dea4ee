// Takes the headers of frames apart; see wire/frame.hpp.
#include "sim/frame_words.hpp"

#include <cstdint>
#include <fmt/format.h>

namespace muster::sim {
namespace {

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

std::uint64_t ranges_of(std::string_view frame) { return little_endian(frame.substr(9, 2)); }

std::string hosts_of(std::string_view frame) {
  std::string text;
  for (std::size_t at = 11; at < 11 + 8 * ranges_of(frame); at += 8) {
    const auto first = little_endian(frame.substr(at, 4));
    const auto last = little_endian(frame.substr(at + 4, 4));
    if (!text.empty()) text += ',';
    text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::string header_words(std::string_view frame) {
  return fmt::format("kind {}, length {}, run {}, hosts {}", little_endian(frame.substr(4, 1)),
                     little_endian(frame.substr(0, 4)), little_endian(frame.substr(5, 4)),
                     hosts_of(frame));
}

// FNV-1a.
std::string payload_hash(std::string_view frame) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : frame.substr(11 + 8 * ranges_of(frame))) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace muster::sim
