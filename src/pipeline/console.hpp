// Console: the pipeline's stdout and stderr. Never blocks; who writes stops while one of them is
// full.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace muster::pipeline {

class Console {
 public:
  enum Stream : int { out = 0, err = 1 };

  void add(Stream stream, std::string_view lines);
  [[nodiscard]] bool is_full() const;
  [[nodiscard]] bool wants_to_write(Stream stream) const { return !held_[stream].empty(); }
  // Once the stream takes bytes.
  void write(Stream stream);
  // All that is left; may block.
  void finish();
  // What was written nowhere is lost.
  [[nodiscard]] bool has_lost() const { return lost_; }

 private:
  void drop(Stream stream);

  std::array<std::string, 2> held_;
  std::array<bool, 2> closed_{};
  bool lost_ = false;
};

}  // namespace muster::pipeline
