// One task's end of the conversation: bytes to requests, replies to bytes, for PMI-1 and PMI-2.
//
// Both start with a PMI-1 init line, which says the version; PMI-2 goes on in frames. There is one
// request at a time: the next comes out when the last was answered. What a task sends may be
// anything; the first error ends the conversation, and should end the task.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "pmi/pmi_reply.hpp"
#include "pmi/pmi_request.hpp"
#include "pmi/pmi_values.hpp"

namespace muster::pmi {

inline constexpr std::size_t kLineMax = 4096;       // of PMI-1; a longest put has some 1400 bytes
inline constexpr std::size_t kFrameMax = 1u << 20;  // of PMI-2, and of all bodies of one spawn

class PmiSession {
 public:
  void feed(std::string_view bytes);
  // The next request; nothing when it is not whole yet or the last one is not answered (an Abort
  // comes out even then).
  [[nodiscard]] base::Result<std::optional<Request>> next();
  // The bytes to send. Only for a request that was given out, and not for Abort.
  [[nodiscard]] std::string answer(const Reply& reply);

 private:
  enum class Speaks { nothing, lines, frames };  // nothing: before init and after finalize
  using Taken = base::Result<std::optional<std::string_view>>;

  Taken take_line();
  Taken take_body();
  Taken take_frame();
  base::Result<std::optional<Request>> next_command();
  base::Result<std::optional<Request>> next_abort();
  base::Result<std::optional<Request>> next_line();
  base::Result<std::optional<Request>> next_body();
  base::Result<std::optional<Request>> next_frame();
  base::Result<std::optional<Request>> add_body(SpawnBody body, std::size_t size);
  std::optional<Request> give(std::string name, Request request, std::string thread);
  void follow(const Reply& reply);

  std::string buffer_;
  std::size_t at_ = 0;        // what lies before it was given out
  std::size_t searched_ = 0;  // up to there is no end of a line or body
  Speaks speaks_ = Speaks::nothing;
  std::optional<ReceivedRequest> asked_;
  std::optional<base::Error> broken_;
  std::optional<Spawn> spawn_;   // bodies that came, while more are to come
  std::uint32_t bodies_ = 0;     // how many are to come in all
  std::size_t spawn_bytes_ = 0;  // of the bodies that came
};

}  // namespace muster::pmi
