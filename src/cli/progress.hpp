// Progress: how far a long work is, on a terminal only: one line that is written again and again.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace muster::cli {

class Progress {
 public:
  Progress();
  ~Progress() { end(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void tell(std::string_view work, std::size_t done, std::size_t all);
  // The line is empty again.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  bool is_seen_;
  bool has_line_ = false;
  Clock::time_point next_;
};

}  // namespace muster::cli
