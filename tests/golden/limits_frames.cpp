// The limits that every frame has, whatever it holds, and of what comes before the first.
#include <string>

#include "golden/limits.hpp"
#include "golden/raw_frames.hpp"
#include "model/job_spec.hpp"
#include "wire/codec.hpp"

namespace muster::wire {
namespace {

// Ping at one end, Pong at the other.
std::string heartbeat() { return field(10, std::string_view()); }

std::string heartbeat_for(const std::vector<HostSet::Range>& ranges) {
  return raw_frame(kControlKind, heartbeat(), ranges);
}

// One that is whole in every other way.
std::string of_kind(std::int64_t kind) {
  const std::string raw("\0\0\0\0\1", 5);  // rank 0 and, of output, stream 1
  return raw_frame(static_cast<int>(kind), kind == kControlKind ? heartbeat() : raw);
}

// Groups of an unknown field inside each other.
std::string nested(std::int64_t depth) {
  std::string begin, end;
  for (std::int64_t i = 0; i < depth; ++i) begin += varint(99 << 3 | 3), end += varint(99 << 3 | 4);
  return raw_frame(kControlKind, heartbeat() + begin + end);
}

std::string in_ranges(std::int64_t count) {
  std::vector<HostSet::Range> ranges;
  for (std::uint32_t i = 0; i < count; ++i) ranges.push_back({2 * i, 2 * i});
  return heartbeat_for(ranges);
}

}  // namespace

Limits limits_of_frames(int raw_kind, int last_message) {
  const auto host = [](auto value) { return static_cast<std::uint32_t>(value); };
  const auto message = [](auto number) {
    return raw_frame(kControlKind, field(static_cast<int>(number), std::string_view()));
  };
  return {around("length of a control frame of which nothing else has come", kControlMax,
                 [](auto length) { return raw_header(length, kControlKind); }),
          around("lowest kind", kControlKind, of_kind),
          around("kind of raw bytes", raw_kind, of_kind),
          around("ranges of hosts", kRangesMax, in_ranges),
          around("last host", model::kRanksMax - 1,
                 [&](auto value) {
                   return heartbeat_for({{0, host(value)}});
                 }),
          around("last host of a range from 5", 5,
                 [&](auto value) {
                   return heartbeat_for({{5, host(value)}});
                 }),
          around("first host of a range after 0 to 3", 5,
                 [&](auto value) {
                   return heartbeat_for({{0, 3}, {host(value), 9}});
                 }),
          around("depth of messages in messages", kNestingMax, nested),
          around("field of the first message", 1, message),
          around("field of the last message", last_message, message)};
}

Limits limits_of_noise() {
  return {around("bytes before the magic line", kNoiseMax,
                 [](auto length) { return std::string(length, 'n') + std::string(kMagic); })};
}

}  // namespace muster::wire
