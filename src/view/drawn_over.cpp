// Ends each line with what clears the rest of it.
#include "view/drawn_over.hpp"

#include <algorithm>
#include <vector>

#include "base/words.hpp"

namespace muster::view {

std::string drawn_over(std::string_view lines, std::size_t height) {
  std::vector<std::string> all = base::split(lines, "\n");
  const std::size_t most = std::max<std::size_t>(height, 3) - 1;
  if (all.size() > most) {
    const auto old = static_cast<std::ptrdiff_t>(all.size() - most);
    all.erase(all.begin() + 1, all.begin() + 1 + old);
  }
  std::string text;
  for (const std::string& line : all) text += line + "\x1b[K\n";
  return text + "\x1b[J";
}

}  // namespace muster::view
