// Compares with what was told last.
#include "view/waiting.hpp"

#include <chrono>
#include <fmt/format.h>

namespace muster::view {

std::optional<std::string> Waiting::tell(const std::string& words, base::Duration waited) {
  if (words == told_) return std::nullopt;
  told_ = words;
  using Seconds = std::chrono::duration<double>;
  return fmt::format("{} ({} s so far, at most {:g} s{}{})", words,
                     std::chrono::round<std::chrono::seconds>(waited).count(),
                     Seconds(most_).count(), of_.empty() ? "" : " ", of_);
}

}  // namespace muster::view
