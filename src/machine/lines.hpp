// Lines: assembles whole lines of the ranks' bytes for the sinks that they share: our own stdout
// and stderr, or files.
//
// Every rank's stream has a lane, which leads to one sink, or nowhere, and holds the start of a
// line until its end has come. So lines of different ranks never mix. A lane that has its sink for
// itself and is not styled holds nothing: bytes pass as they are. A line longer than kLineMax takes
// its sink for itself: it passes through as it comes, and the other lanes of that sink hold what
// they have (see full()) until it ends, or until its rank has been silent for kOwnerSilence, when a
// newline ends it by force. A last line without a newline gets one when the sink is shared.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.hpp"
#include "base/time.hpp"
#include "machine/speakers.hpp"
#include "model/output_spec.hpp"
#include "view/pattern.hpp"

namespace muster::machine {

// Sinks are numbered from 0; the numbers mean something to whoever writes.
using SinkId = std::uint32_t;
inline constexpr SinkId kNowhere = 0xFFFFFFFF;

// Takes whole pieces; what is given must be used before the call returns.
class LineSink {
 public:
  virtual void write(SinkId sink, std::string_view bytes) = 0;

 protected:
  ~LineSink() = default;
};

struct LineTime {
  base::Instant now;
  view::WallTime wall = {};
};

class Lines {
 public:
  static constexpr std::size_t kLineMax = 1u << 20;
  static constexpr std::size_t kHeldMax = 64u << 10;  // per lane, while another lane owns the sink
  static constexpr base::Duration kOwnerSilence = std::chrono::seconds(2);

  // `style` and `speakers` outlive this. Live: a terminal, where a carriage return shows what came
  // before it.
  Lines(const model::OutputSpec& style, const Speakers& speakers, bool live)
      : style_(style), speakers_(speakers), live_(live) {}

  // The lane of the next stream, in the order rank 0 stdout, rank 0 stderr, rank 1 stdout ...
  void add(SinkId sink, bool styled);
  // It leads elsewhere from now on; what it held is gone.
  void redirect(base::Rank rank, model::Stream stream, SinkId sink);
  void take(base::Rank rank, model::Stream stream, std::string_view bytes, LineTime time,
            LineSink& sink);
  void end(base::Rank rank, model::Stream stream, LineTime time, LineSink& sink);
  [[nodiscard]] bool leads_nowhere(base::Rank rank, model::Stream stream) const {
    return lanes_[id(rank, stream)].sink == kNowhere;
  }
  // The lane wants nothing more for now.
  [[nodiscard]] bool full(base::Rank rank, model::Stream stream) const;
  // How many sinks a long line has for itself.
  [[nodiscard]] std::size_t owned_sinks() const { return owners_.size(); }
  [[nodiscard]] std::optional<base::Instant> deadline() const;
  void tick(LineTime time, LineSink& sink);

 private:
  using LaneId = std::size_t;  // rank * 2 + (stream is err)
  struct Lane {
    std::string held;
    SinkId sink;
    bool styled;
  };
  struct Owner {
    SinkId sink;
    LaneId lane;
    base::Instant heard;
  };

  [[nodiscard]] static LaneId id(base::Rank rank, model::Stream stream) {
    return 2 * rank.value + (stream == model::Stream::err ? 1 : 0);
  }
  [[nodiscard]] static model::Stream stream(LaneId lane) {
    return lane % 2 == 0 ? model::Stream::out : model::Stream::err;
  }
  [[nodiscard]] bool shared(const Lane& lane) const { return users_[lane.sink] > 1; }
  [[nodiscard]] const Owner* owner(SinkId sink) const;

  void take(LaneId lane, std::string_view bytes, LineTime time, LineSink& sink);
  void pass(LaneId lane, std::string_view bytes, LineTime time, LineSink& sink);
  void whole_lines(LaneId lane, std::string_view lines, LineTime time, LineSink& sink);
  void begin_long(LaneId lane, LineTime time, LineSink& sink);
  void go_on_long(LaneId lane, std::string_view bytes, LineTime time, LineSink& sink);
  void write_piece(LaneId lane, std::string_view bytes, bool ends, LineSink& sink);
  void release(SinkId freed, LineTime time, LineSink& sink);
  [[nodiscard]] std::size_t line_end(std::string_view bytes) const;
  void open_line(LaneId lane, const LineTime& time);

  const model::OutputSpec& style_;
  const Speakers& speakers_;
  bool live_;
  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> users_;  // lanes that lead to each sink
  std::vector<Owner> owners_;         // nearly always empty
  std::string scratch_;
};

}  // namespace muster::machine
