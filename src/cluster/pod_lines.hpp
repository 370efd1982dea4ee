// PodLines: what `kubectl logs --prefix --timestamps` prints, in; each line of each pod once, out.
// Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace muster::cluster {

// A stream may be cut and asked for anew at any time, from its beginning: lines that are not later
// than the last one of their container are known. What has no container's prefix is kubectl's own,
// and is left out. A line of more than 1 MiB comes in parts, each of them a line.
class PodLines {
 public:
  // Each line that is new, whole, with its newline. `tagged`: behind its container,
  // "[pod/NAME/CONTAINER] ".
  [[nodiscard]] std::string take(std::string_view bytes, bool tagged);
  // The connection has ended: what was not yet a line comes again.
  void cut() {
    rest_.clear();
    part_.reset();
  }

 private:
  // Of a line that goes on; it may be one that is known.
  struct Part {
    bool is_known = false;
    std::string from;
  };
  [[nodiscard]] std::string take_line(std::string_view line, bool tagged);

  [[nodiscard]] std::string take_part(bool tagged);

  std::string rest_;
  std::optional<Part> part_;
  std::map<std::string, std::string, std::less<>> last_times_;  // by container's prefix
};

}  // namespace muster::cluster
