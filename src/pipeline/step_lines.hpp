// StepLines: what a step writes to one stream, as whole lines behind its name. Pure.
#pragma once

#include <string>
#include <string_view>

namespace muster::pipeline {

inline constexpr std::size_t kStepLineMax = 64u << 10;  // bytes; a longer line is cut into several

class StepLines {
 public:
  // `keeps_words`: of stderr; to look into each line of a stream takes as long as to prefix it.
  explicit StepLines(std::string prefix, bool keeps_words = true)
      : prefix_(std::move(prefix)), keeps_words_(keeps_words) {}

  // The lines that these bytes complete.
  [[nodiscard]] std::string feed(std::string_view bytes);
  // The line that has begun, with an end; empty if there is none.
  [[nodiscard]] std::string finish();
  // The last line that tells an error, else the last one, without prefix and end; may be empty.
  [[nodiscard]] const std::string& words() const { return error_.empty() ? last_ : error_; }
  // Whether its last error, or that of a step within it, tells this cause, or how it ends.
  [[nodiscard]] bool has_told(std::string_view cause) const;
  // The last line that tells what a step that completes has tolerated, or nothing. Those of other
  // ranks, which come from other hosts, may come after it.
  [[nodiscard]] const std::string& tolerated() const { return tolerated_; }

 private:
  void take(std::string_view line, std::string& lines);
  void keep_words(std::string_view line);

  std::string prefix_;
  bool keeps_words_;
  std::string begun_;
  std::string last_;
  std::string error_;
  std::string told_;  // the same, or of a step within
  std::string tolerated_;
};

}  // namespace muster::pipeline
