// Tells each once, and no more than a handful.
#include "machine/refusals.hpp"

#include <fmt/format.h>

namespace muster::machine {

std::optional<std::string> Refusals::add(const std::string& line) {
  ++all_;
  if (full_ || told_.contains(line)) return std::nullopt;
  full_ = told_.size() == kToldMax;
  if (full_) return "further refused connections are only counted";
  told_.insert(line);
  return line;
}

std::optional<std::string> Refusals::sum() const {
  if (all_ == told_.size()) return std::nullopt;
  return fmt::format("{} connections were refused in all", all_);
}

}  // namespace muster::machine
