// Reads a variable, or asks squeue.
#include "head/allocation_end.hpp"

#include <charconv>
#include <ctime>

#include "base/variables.hpp"
#include "model/head_above.hpp"

namespace muster::head {
namespace {

constexpr base::Duration kAnswerOfSqueue = std::chrono::seconds(10);

std::optional<std::int64_t> seconds_in(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole && !text.empty() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> read_local_time(std::string_view text) {
  const std::string copy(text);
  std::tm parts{};
  const char* end = ::strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (end == nullptr || (*end != '\0' && *end != '\n')) return std::nullopt;
  parts.tm_isdst = -1;
  const std::time_t time = ::mktime(&parts);
  return time < 0 ? std::nullopt : std::optional<std::int64_t>(time);
}

void AllocationEnd::ask(const std::vector<std::string>& environment, bool has_limit,
                        const std::function<void(std::int64_t)>& told) {
  const std::string job = base::value_of(environment, "SLURM_JOB_ID");
  if (job.empty() || !base::value_of(environment, model::kHeadAbove).empty()) return;
  const std::string known = base::value_of(environment, "SLURM_JOB_END_TIME");
  if (const auto at = seconds_in(known)) return told(*at);
  if (has_limit || !base::value_of(environment, "MUSTER_DEADLINE").empty()) return;
  squeue_.ask({"squeue", "-h", "-j", job, "-o", "%e"}, environment, kAnswerOfSqueue,
              [told](const std::string& said) {
                if (const auto at = read_local_time(said)) told(*at);
              });
}

}  // namespace muster::head
