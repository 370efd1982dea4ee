// Limits of messages, for golden files: each with frames just below, at, and just above it.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "wire/frame.hpp"

namespace muster::wire {

struct Tried {
  std::int64_t value = 0;
  std::string frame;
};

struct Limit {
  std::string name;
  std::vector<Tried> tried;
};
using Limits = std::vector<Limit>;

// One overload for each alternative of the variants; a message without limits says so.
[[nodiscard]] Limits limits_of(const ToAgent& message);
[[nodiscard]] Limits limits_of(const ToHead& message);
// Of all frames for one end: the kind of its raw bytes, and the last field of ToAgent or ToHead.
[[nodiscard]] Limits limits_of_frames(int raw_kind, int last_message);
[[nodiscard]] Limits limits_of_noise();

// `make(value)` is a frame.
template <class Make>
Limit around(std::string name, std::int64_t limit, Make make) {
  Limit made{std::move(name), {}};
  for (const std::int64_t value : {limit - 1, limit, limit + 1}) {
    made.tried.push_back({value, make(value)});
  }
  return made;
}

// What PMIx servers say travels in a message of ours.
template <class Message>
std::string framed(const Message& message) {
  std::string bytes;
  if constexpr (std::is_constructible_v<pmix::Upcall, Message>) {
    append(bytes, ToHead{PmixUp{message}});
  } else if constexpr (std::is_constructible_v<pmix::Command, Message>) {
    append(bytes, ToAgent{PmixDown{message}});
  } else {
    append(bytes, message);
  }
  return bytes;
}

// `set(message, value)` changes a sample.
template <class Message, class Set>
Limit limit(std::string name, std::int64_t limit, const Message& sample, Set set) {
  return around(std::move(name), limit, [&](std::int64_t value) {
    Message changed = sample;
    set(changed, value);
    return framed(changed);
  });
}

}  // namespace muster::wire
