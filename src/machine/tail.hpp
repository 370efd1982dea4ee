// Tail: the last lines of a rank's stderr, kept for the failure report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::machine {

class Tail {
 public:
  static constexpr std::size_t kBytes = 4096;  // kept at most, per rank
  static constexpr std::size_t kLines = 12;

  void take(std::string_view bytes);
  // At most kLines lines, without their newlines, blank lines at the end left out. A first line
  // that was cut is left out too, unless it is all there is. So are native frames of a stack, which
  // would leave no room for what the program said before them.
  [[nodiscard]] std::vector<std::string> lines() const;
  bool operator==(const Tail&) const = default;

 private:
  std::string bytes_;
  bool cut_ = false;
};

}  // namespace muster::machine
