// Backlog: output that is in the log files and has not been printed yet. While the reader of our
// stdout is blocked, ranks continue; once it reads again, what it missed is read from the files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string_view>

#include "head/log_files.hpp"

namespace muster::head {

// One rank's stdout or stderr: rank * 2 + (stream is err).
using LaneId = std::size_t;

class Backlog {
 public:
  struct Console {
    std::function<bool(LaneId)> has_room;
    std::function<void(LaneId, std::string_view)> show;
    std::function<void(LaneId)> end;
  };

  [[nodiscard]] bool empty() const { return lanes_.empty(); }
  [[nodiscard]] bool holds(LaneId lane) const { return lanes_.contains(lane); }
  // Bytes of a file that a lane has written and that shall be shown later.
  void add(LaneId lane, machine::SinkId file, std::uint64_t at, std::uint64_t size);
  // The lane ends after what has been added.
  void end(LaneId lane);
  // Prints a piece of each lane in turn, while there is room, and no more than a few MiB. True:
  // call it again soon.
  [[nodiscard]] bool show(const LogFiles& files, const Console& console);
  // Nobody waits for all of it: of each lane only the end is printed, of all no more than a MiB or
  // two.
  void leave_out();
  // Bytes still to be printed, and bytes that were left out or no longer in their files.
  [[nodiscard]] std::uint64_t waiting() const;
  [[nodiscard]] std::uint64_t missed() const { return missed_; }

 private:
  struct Piece {
    machine::SinkId file;  // kNowhere: the lane's end
    std::uint64_t at;
    std::uint64_t size;
  };
  using Pieces = std::deque<Piece>;

  // How many bytes it has shown.
  std::size_t show_some(LaneId lane, Pieces& pieces, const LogFiles& files, const Console& console);

  std::map<LaneId, Pieces> lanes_;  // none is empty
  std::uint64_t missed_ = 0;
  std::array<char, 65536> buffer_;
};

}  // namespace muster::head
