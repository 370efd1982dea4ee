// Only what has both date and zone.
#include "kubernetes/time.hpp"

#include "spec/moment.hpp"

namespace muster::kubernetes {

std::optional<model::Utc> time_of(std::string_view text) {
  const auto moment = spec::read_moment("", text);
  if (!moment || !moment->date || !moment->east) return std::nullopt;
  return spec::utc_of(*moment, {}, [](spec::UtcTime) { return std::chrono::seconds(0); });
}

}  // namespace muster::kubernetes
