// Cuts a stream into lines.
#include "pipeline/step_lines.hpp"

#include <algorithm>

#include "view/step_words.hpp"

namespace muster::pipeline {

void StepLines::keep_words(std::string_view line) {
  constexpr std::string_view kError = "muster: error: ";
  last_ = line;
  if (line.starts_with(kError)) error_ = line.substr(kError.size());
  if (view::tells_of_tolerated(line)) tolerated_ = line;
}

void StepLines::take(std::string_view line, std::string& lines) {
  if (keeps_words_) keep_words(line);
  lines += prefix_;
  lines += line;
  lines += '\n';
}

std::string StepLines::feed(std::string_view bytes) {
  std::string lines;
  begun_ += bytes;
  std::size_t from = 0;
  while (from < begun_.size()) {
    const std::size_t end = begun_.find('\n', from);
    const bool is_whole = end != std::string::npos;
    const std::size_t size = (is_whole ? end : begun_.size()) - from;
    if (!is_whole && size < kStepLineMax) break;
    take(std::string_view(begun_).substr(from, std::min(size, kStepLineMax)), lines);
    from += size <= kStepLineMax && is_whole ? size + 1 : std::min(size, kStepLineMax);
  }
  begun_.erase(0, from);
  return lines;
}

std::string StepLines::finish() {
  std::string lines;
  if (!begun_.empty()) take(begun_, lines);
  begun_.clear();
  return lines;
}

}  // namespace muster::pipeline
