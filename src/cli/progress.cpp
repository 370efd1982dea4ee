// Nobody is told of what takes less than a second.
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/speak.hpp"

namespace muster::cli {

Progress::Progress() : is_seen_(draws_progress()), next_(Clock::now() + std::chrono::seconds(1)) {}

void Progress::tell(std::string_view work, std::size_t done, std::size_t all) {
  constexpr std::chrono::milliseconds kPause{200};
  if (!is_seen_ || Clock::now() < next_) return;
  next_ = Clock::now() + kPause;
  has_line_ = true;
  say(fmt::format("\r\x1b[Kmuster: {} of {} {}", done, all, work));
}

void Progress::end() {
  if (has_line_) say("\r\x1b[K");
  has_line_ = false;
}

}  // namespace muster::cli
