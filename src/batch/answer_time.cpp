// The C library reads the names of days and months, in its own locale.
#include "batch/answer_time.hpp"

#include <ctime>

namespace muster::batch {

std::optional<model::Utc> answer_time(const std::string& text, const char* form) {
  std::tm parts{};
  const char* end = ::strptime(text.c_str(), form, &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  const auto east = std::chrono::seconds(parts.tm_gmtoff);  // timegm() takes no notice of it
  return std::chrono::time_point_cast<model::Utc::duration>(
      std::chrono::system_clock::from_time_t(::timegm(&parts)) - east);
}

}  // namespace muster::batch
