// Readers' answers as plain lists, for tests that compare what went in with what came out.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "wire/frame.hpp"

namespace muster::wire {

// What the head reads from frames, with output as the message it would be.
struct Read {
  std::vector<ToHead> messages;
  std::string error;  // empty: none
};

inline ToHead as_message(HeadReader::Item item) {
  if (auto* message = std::get_if<ToHead>(&item)) return std::move(*message);
  const OutputView view = std::get<OutputView>(item);
  return Output{view.rank, view.stream, std::string(view.bytes)};
}

inline void read_on(HeadReader& reader, std::string_view bytes, Read& read) {
  reader.feed(bytes);
  for (;;) {
    auto item = reader.next();
    if (!item) read.error = item.error().what;
    if (!item || !*item) return;
    read.messages.push_back(as_message(std::move(**item)));
  }
}

// Feeds pieces of `step` bytes; stops at the first error.
inline Read read_as_head(std::string_view bytes, std::size_t step) {
  Read read;
  HeadReader reader;
  for (std::size_t at = 0; at < bytes.size() && read.error.empty(); at += step)
    read_on(reader, bytes.substr(at, step), read);
  return read;
}

struct ReadByAgent {
  std::vector<ToAgent> messages;
  std::string error;
};

inline ReadByAgent read_as_agent(std::string_view bytes, std::size_t step) {
  ReadByAgent read;
  AgentReader reader;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    reader.feed(bytes.substr(at, step));
    for (;;) {
      auto message = reader.next();
      if (!message) {
        read.error = message.error().what;
        return read;
      }
      if (!*message) break;
      read.messages.push_back(std::move(**message));
    }
  }
  return read;
}

}  // namespace muster::wire
