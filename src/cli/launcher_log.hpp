// LauncherLog: what a launcher's pod has printed, line by line: those of ranks, "[3] text", and
// muster's own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::cli {

struct LauncherLogStyle {
  bool tags = false;                       // lines of ranks keep their tags
  bool both = false;                       // muster's own lines as well, on stderr
  std::optional<std::uint32_t> rank = {};  // only that one's
  bool json = false;                       // as `muster logs --json` prints lines
};

class LauncherLog {
 public:
  explicit LauncherLog(LauncherLogStyle style) : style_(style) {}

  // Bytes of `kubectl logs --timestamps`: "2026-11-21T21:25:30.123456789Z line". Lines that are not
  // later than the last one are known. One of more than 1 MiB is printed in parts, each of them a
  // line.
  void take(std::string_view bytes);
  // Without timestamps.
  void take_plain(std::string_view text);
  // The connection has ended: what was not yet a line comes again.
  void cut() {
    rest_.clear();
    part_.reset();
  }
  void finish();

  [[nodiscard]] const std::string& last_time() const { return last_time_; }
  // Of what could not be printed; 0: nothing.
  [[nodiscard]] int code() const { return code_; }

 private:
  // Of a line that goes on; it may be one that is known.
  struct Part {
    bool is_known = false;
    std::string tag;  // "train: [3] "
  };
  void take_timed(std::string_view line);
  void take_part();
  void print_line(std::string_view line);

  LauncherLogStyle style_;
  std::string rest_;
  std::optional<Part> part_;
  std::string last_time_;
  int code_ = 0;
};

// The last line of a text that is not empty.
[[nodiscard]] std::string last_line(std::string_view text);

}  // namespace muster::cli
