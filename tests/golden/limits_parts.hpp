// Limits that several messages share, and those of parts that have files of their own.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "golden/limits.hpp"
#include "golden/raw_frames.hpp"
#include "model/job_spec.hpp"

namespace muster::wire {

[[nodiscard]] Limits limits_of_world(const World& sample);
[[nodiscard]] Limits limits_of_upcall(const pmix::Upcall& sample);
[[nodiscard]] Limits limits_of_command(const pmix::Command& sample);
// `framed` puts a job into the message that shall hold it.
[[nodiscard]] Limits limits_of_job(const std::function<std::string(const pmix::AddJob&)>& framed);

inline constexpr std::int64_t kClockMax = std::int64_t{1} << 52;  // microseconds

template <class Message>
Limit of_world(const Message& sample) {
  return limit("number of the world", model::kRanksMax, sample,
               [](Message& one, auto value) { one.world = static_cast<std::uint32_t>(value); });
}

template <class Message>
Limit of_rank(const Message& sample) {
  return limit("rank", model::kRanksMax - 1, sample,
               [](Message& one, auto value) { one.rank = base::Rank(value); });
}

template <class Message>
Limit launcher_bytes(const Message& sample) {
  return limit("bytes", kLauncherBytesMax, sample, [](Message& one, auto value) {
    one.bytes.assign(static_cast<std::size_t>(value), 'b');
  });
}

// `path` leads to the stream, as in with_field().
template <class Message>
Limits of_stream(const Message& sample, const std::vector<int>& path) {
  const auto make = [&](auto value) { return with_field(framed(sample), path, value); };
  return {around("lowest stream", 1, make), around("highest stream", 2, make)};
}

// Raw frames of rank 0 and, if they are output, of stream 1; of so many bytes.
inline auto raw_of(int kind) {
  return [kind](std::int64_t length) {
    std::string payload(static_cast<std::size_t>(length), '\1');
    return raw_frame(kind, payload.replace(0, 4, std::string(4, '\0')).substr(0, length));
  };
}

// One list after the other.
inline Limits joined(Limits first, Limits second) {
  for (Limit& one : second) first.push_back(std::move(one));
  return first;
}

}  // namespace muster::wire
