// Console: brings the ranks' bytes into whole lines on the launcher's stdout and stderr.
//
// Every rank's stream has a lane, which holds the start of a line until its end has come. So lines
// of different ranks never mix. With one rank and no prefix nothing is held: bytes pass as they
// are. A line longer than kLineMax takes its sink for itself: it passes through as it comes, and
// the other lanes of that sink hold what they have (see full()) until it ends, or until its rank
// has been silent for kOwnerSilence, when a newline ends it by force. A last line without a newline
// gets one when there are several ranks.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.hpp"
#include "base/time.hpp"
#include "model/job_spec.hpp"
#include "model/world.hpp"
#include "wire/messages.hpp"

namespace muster::machine {

// Takes whole pieces; what is given must be used before the call returns.
class ConsoleSink {
 public:
  virtual void write(wire::Stream sink, std::string_view bytes) = 0;

 protected:
  ~ConsoleSink() = default;
};

struct ConsoleTime {
  base::Instant now;
  std::chrono::system_clock::time_point wall;
};

class Console {
 public:
  static constexpr std::size_t kLineMax = 1u << 20;
  static constexpr std::size_t kHeldMax = 64u << 10;  // per lane, while another lane owns the sink
  static constexpr base::Duration kOwnerSilence = std::chrono::seconds(2);

  Console(model::OutputSpec output, std::uint32_t world_size, bool live);

  // Ranks that were spawned.
  void add(const model::World& world);
  void take(base::Rank rank, wire::Stream stream, std::string_view bytes, ConsoleTime time,
            ConsoleSink& sink);
  void end(base::Rank rank, wire::Stream stream, ConsoleTime time, ConsoleSink& sink);
  // The lane wants nothing more for now.
  [[nodiscard]] bool full(base::Rank rank, wire::Stream stream) const;
  // How many sinks (0 to 2) a long line has for itself.
  [[nodiscard]] int owned_sinks() const {
    return int{out_owner_.has_value()} + int{err_owner_.has_value()};
  }
  [[nodiscard]] std::optional<base::Instant> deadline() const;
  void tick(ConsoleTime time, ConsoleSink& sink);

 private:
  using Lane = std::pair<base::Rank, wire::Stream>;
  struct Owner {
    base::Rank rank;
    base::Instant heard;
  };

  std::optional<Owner>& owner(wire::Stream stream);
  [[nodiscard]] const std::optional<Owner>& owner(wire::Stream stream) const;
  void pass(Lane lane, std::string_view bytes, ConsoleTime time, ConsoleSink& sink);
  void whole_lines(Lane lane, std::string_view lines, ConsoleTime time, ConsoleSink& sink);
  void own(Lane lane, std::string_view bytes, ConsoleTime time, ConsoleSink& sink);
  void release(wire::Stream stream, ConsoleTime time, ConsoleSink& sink);
  [[nodiscard]] std::size_t line_end(std::string_view bytes) const;
  [[nodiscard]] std::string& held(Lane lane);

  void append_prefix(base::Rank rank, std::chrono::system_clock::time_point wall);

  model::OutputSpec output_;
  std::vector<model::World> worlds_;
  std::uint32_t world_size_;       // of all worlds
  bool live_;                      // a terminal: a carriage return shows what came before it
  std::vector<std::string> held_;  // index: rank * 2 + (stream is err)
  std::optional<Owner> out_owner_;
  std::optional<Owner> err_owner_;
  std::string scratch_;
};

}  // namespace muster::machine
