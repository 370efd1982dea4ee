// Frames byte by byte, for what the values of C++ cannot say: too large, or cut short.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "wire/address.hpp"

namespace muster::wire {

inline constexpr int kControlKind = 1;
inline constexpr int kOutputKind = 2;
inline constexpr int kInputKind = 3;

inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

// Without its payload, of which only the length is told.
inline std::string raw_header(std::size_t length, int kind,
                              const std::vector<HostSet::Range>& ranges = {}) {
  std::string bytes = little_endian(length, 4) + static_cast<char>(kind) + little_endian(1, 4) +
                      little_endian(ranges.size(), 2);
  for (const HostSet::Range& one : ranges) {
    bytes += little_endian(one.first, 4) + little_endian(one.last, 4);
  }
  return bytes;
}

inline std::string raw_frame(int kind, const std::string& payload,
                             const std::vector<HostSet::Range>& ranges = {}) {
  return raw_header(payload.size(), kind, ranges) + payload;
}

// ---- fields of protobuf -------------------------------------------------------------------------

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value > 0x7f; value >>= 7) bytes += static_cast<char>(0x80 | (value & 0x7f));
  return bytes + static_cast<char>(value);
}

inline std::string field(int number, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(number) << 3) + varint(value);
}

inline std::string field(int number, std::string_view bytes) {
  return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(bytes.size()) +
         std::string(bytes);
}

// A list of equal values.
template <class Value>
std::string repeated(int number, const Value& value, std::int64_t times) {
  const std::string one = field(number, value);
  std::string all;
  for (std::int64_t i = 0; i < times; ++i) all += one;
  return all;
}

// `path`: the numbers of fields, from that of the message inwards; the last one is in `bytes`.
inline std::string in_message(const std::vector<int>& path, std::string bytes) {
  for (auto outer = std::next(path.rbegin()); outer != path.rend(); ++outer) {
    bytes = field(*outer, std::string_view(bytes));
  }
  return bytes;
}

// The frame of a control message for no hosts, with one more field behind it, which is laid over
// the first of its kind or added to a list.
template <class Value>
std::string with_field(const std::string& frame, const std::vector<int>& path, const Value& value) {
  constexpr std::size_t kHeader = 11;
  const std::string added = in_message(path, field(path.back(), value));
  return raw_frame(kControlKind, frame.substr(kHeader) + added);
}

}  // namespace muster::wire
