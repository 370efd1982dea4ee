// The time at which a job will be ended, and how often it was begun, as its ranks are told it.
#include <charconv>

#include "base/variables.hpp"
#include "plan/environment.hpp"

namespace muster::plan {
namespace {

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t seconds = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, seconds);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return seconds;
}

}  // namespace

std::optional<std::int64_t> deadline(std::chrono::milliseconds now_since_epoch,
                                     std::optional<base::Duration> timeout,
                                     std::span<const std::string> launching_shell) {
  std::optional<std::int64_t> soonest;
  const auto take = [&](std::optional<std::int64_t> end) {
    if (end && (!soonest || *end < *soonest)) soonest = end;
  };
  const auto now = std::chrono::floor<std::chrono::seconds>(now_since_epoch).count();
  const auto around = whole_number(base::value_of(launching_shell, "MUSTER_DEADLINE"));
  // That of a job which is over was handed on by one of its ranks.
  if (around && *around >= now) take(around);
  take(whole_number(base::value_of(launching_shell, "SLURM_JOB_END_TIME")));
  if (timeout) take(std::chrono::floor<std::chrono::seconds>(now_since_epoch + *timeout).count());
  return soonest;
}

std::uint32_t starts_before(std::span<const std::string> launching_shell) {
  constexpr std::int64_t kStartsMax = 100'000;
  const auto count = whole_number(base::value_of(launching_shell, "SLURM_RESTART_COUNT"));
  return count && *count >= 0 && *count <= kStartsMax ? static_cast<std::uint32_t>(*count) : 0;
}

}  // namespace muster::plan
