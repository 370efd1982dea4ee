// Line: our end of a link, as bytes; patient with a peer that does not read while it writes.
#pragma once

#include <string>
#include <string_view>

#include "process/unique_fd.hpp"

namespace muster::talk {

class Line {
 public:
  // `in` and `out` may be the same socket, given twice.
  Line(process::UniqueFd in, process::UniqueFd out);

  // Gives up when the peer has gone or takes nothing for a second.
  void send(std::string_view bytes);
  // What has come, waiting so long for the first of it.
  std::string take(int milliseconds);
  // The peer has closed its end; what it said before has been taken.
  [[nodiscard]] bool ended() const { return ended_ && waiting_.empty(); }
  void end_sending();

 private:
  void poll(bool to_send, int milliseconds);
  void read_some();

  process::UniqueFd in_;
  process::UniqueFd out_;
  std::string waiting_;  // has come and was not taken
  bool ended_ = false;
};

}  // namespace muster::talk
