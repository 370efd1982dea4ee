// Finds one variable among many.
#include "base/variables.hpp"

namespace muster::base {

std::string value_of(std::span<const std::string> environment, std::string_view name) {
  for (const std::string& entry : environment) {
    const bool is_it =
        entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
    if (is_it) return entry.substr(name.size() + 1);
  }
  return {};
}

}  // namespace muster::base
