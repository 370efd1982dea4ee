// PodLines: what `kubectl logs --prefix --timestamps` prints, in; each line of each pod once, out.
// Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace muster::cluster {

// A stream may be cut and asked for anew at any time, from its beginning: lines that are not later
// than the last one of their container are known. What has no container's prefix is kubectl's own,
// and is left out.
class PodLines {
 public:
  // Each line that is new, whole, with its newline. `tagged`: behind its container,
  // "[pod/NAME/CONTAINER] ".
  [[nodiscard]] std::string take(std::string_view bytes, bool tagged);
  // The connection has ended: what was not yet a line comes again.
  void cut() { rest_.clear(); }

 private:
  [[nodiscard]] std::string take_line(std::string_view line, bool tagged);

  std::string rest_;
  std::map<std::string, std::string, std::less<>> last_times_;  // by container's prefix
};

}  // namespace muster::cluster
