// Line: our end of a link, as bytes: over descriptors, or held in memory.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "process/unique_fd.hpp"

namespace muster::talk {

class Line {
 public:
  Line() = default;
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  virtual ~Line() = default;

  virtual void send(std::string_view bytes) = 0;
  // What has come, waiting so long for the first of it.
  [[nodiscard]] virtual std::string take(int milliseconds) = 0;
  // The peer has closed its end; what it said before has been taken.
  [[nodiscard]] virtual bool ended() const = 0;
  virtual void end_sending() = 0;
};

// Patient with a peer that does not read while it writes.
class SocketLine : public Line {
 public:
  // `in` and `out` may be the same socket, given twice.
  SocketLine(process::UniqueFd in, process::UniqueFd out);

  // Gives up when the peer has gone or takes nothing for a second.
  void send(std::string_view bytes) override;
  [[nodiscard]] std::string take(int milliseconds) override;
  [[nodiscard]] bool ended() const override { return ended_ && waiting_.empty(); }
  void end_sending() override;

 private:
  void poll(bool to_send, int milliseconds);
  void read_some();

  process::UniqueFd in_;
  process::UniqueFd out_;
  std::string waiting_;  // has come and was not taken
  bool ended_ = false;
};

// Its other end is whoever fills `heard` and empties `said`.
class HeldLine : public Line {
 public:
  void send(std::string_view bytes) override {
    if (!stopped) said += bytes;
  }
  [[nodiscard]] std::string take(int) override { return std::exchange(heard, {}); }
  [[nodiscard]] bool ended() const override { return false; }
  void end_sending() override { stopped = true; }

  std::string heard;
  std::string said;
  bool stopped = false;  // nothing more will be said
};

}  // namespace muster::talk
