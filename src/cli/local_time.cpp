// Asks the C library, which knows TZ.
#include "cli/local_time.hpp"

#include <ctime>

#include "store/folder.hpp"

namespace muster::cli {
namespace {

std::chrono::seconds zone_at(model::Utc time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  return std::chrono::seconds(local.tm_gmtoff);
}

}  // namespace

std::optional<model::Utc> since_of(const front::RecordRequest& request) {
  if (!request.since) return std::nullopt;
  return spec::utc_of(*request.since, store::utc_now(), zone_at);
}

}  // namespace muster::cli
