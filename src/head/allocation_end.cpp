// Reads a variable, or asks squeue.
#include "head/allocation_end.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/variables.hpp"
#include "model/head_above.hpp"
#include "process/converse.hpp"

namespace muster::head {
namespace {

constexpr std::string_view kEndTime = "SLURM_JOB_END_TIME";
constexpr base::Duration kAnswerOfSqueue = std::chrono::seconds(10);
constexpr base::Duration kAnswerBefore = std::chrono::milliseconds(250);

// What squeue says of a job without a limit (NONE) is no number.
std::optional<std::int64_t> seconds_in(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole && !text.empty() ? std::optional(number) : std::nullopt;
}

// Below another head, that one watches the time.
bool is_in_job(const std::vector<std::string>& environment) {
  return !base::value_of(environment, "SLURM_JOB_ID").empty() &&
         base::value_of(environment, model::kHeadAbove).empty();
}

std::optional<std::int64_t> known_end(const std::vector<std::string>& environment) {
  return seconds_in(base::value_of(environment, kEndTime));
}

bool needs_answer(const std::vector<std::string>& environment, bool has_limit) {
  return !has_limit && base::value_of(environment, "MUSTER_DEADLINE").empty();
}

std::vector<std::string> question(const std::vector<std::string>& environment) {
  const std::string job = base::value_of(environment, "SLURM_JOB_ID");
  return {"env", "-u", "SLURM_CLUSTERS", "SLURM_TIME_FORMAT=%s", "squeue", "-h", "-j", job,
          "-o",  "%e"};
}

}  // namespace

bool add_allocation_end(std::vector<std::string>& environment, bool has_limit) {
  if (!is_in_job(environment) || known_end(environment)) return true;
  if (!needs_answer(environment, has_limit)) return true;
  const auto answer = process::converse(
      {.words = question(environment), .environment = environment, .limit = kAnswerBefore});
  if (!answer || !answer->ended_well()) return false;
  if (const auto end = seconds_in(answer->out)) {
    const std::string begin = fmt::format("{}=", kEndTime);
    std::erase_if(environment, [&](const auto& one) { return one.starts_with(begin); });
    environment.push_back(fmt::format("{}{}", begin, *end));
  }
  return true;
}

void AllocationEnd::ask(const std::vector<std::string>& environment, bool has_limit,
                        const std::function<void(std::int64_t)>& told) {
  if (!is_in_job(environment)) return;
  if (const auto at = known_end(environment)) return told(*at);
  if (!needs_answer(environment, has_limit)) return;
  squeue_.ask(question(environment), environment, {.time = kAnswerOfSqueue},
              [told](const process::Question::Said& said) {
                const bool well = said.ending == process::Question::Ending::well;
                if (const auto at = seconds_in(well ? said.out : "")) told(*at);
              });
}

}  // namespace muster::head
