// Cuts a stream into lines.
#include "pipeline/step_lines.hpp"

#include <algorithm>

#include "view/report.hpp"
#include "view/step_words.hpp"

namespace muster::pipeline {
namespace {

constexpr std::string_view kError = "muster: error: ";

}  // namespace

void StepLines::keep_words(std::string_view line) {
  last_ = line;
  if (const std::size_t at = line.find(kError); at != std::string_view::npos) {
    told_ = line.substr(at + kError.size());
    if (at == 0) error_ = told_;
  }
  if (view::tells_of_tolerated(line)) tolerated_ = line;
}

void StepLines::take(std::string_view line, std::string& lines) {
  if (keeps_words_) keep_words(line);
  lines += prefix_;
  lines += line;
  lines += '\n';
}

bool StepLines::has_told(std::string_view cause) const {
  const std::string told = view::cause_in(told_);
  return !told.empty() && (cause == told || cause.ends_with(": " + told));
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
