// StepLines: what a step writes to one stream, as whole lines behind its name. Pure.
#pragma once

#include <string>
#include <string_view>

namespace muster::pipeline {

inline constexpr std::size_t kStepLineMax = 64u << 10;  // bytes; a longer line is cut into several

class StepLines {
 public:
  explicit StepLines(std::string prefix) : prefix_(std::move(prefix)) {}

  // The lines that these bytes complete.
  [[nodiscard]] std::string feed(std::string_view bytes);
  // The line that has begun, with an end; empty if there is none.
  [[nodiscard]] std::string finish();
  // Without prefix and end; empty before the first.
  [[nodiscard]] const std::string& last_line() const { return last_; }

 private:
  void take(std::string_view line, std::string& lines);

  std::string prefix_;
  std::string begun_;
  std::string last_;
};

}  // namespace muster::pipeline
