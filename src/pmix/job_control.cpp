// Kinds of numbers that a signal may come as, and directives in the order of PRRTE's.
#include "pmix/job_control.hpp"

#include <csignal>

#include "pmix/convert.hpp"

namespace muster::pmix {

namespace {

std::optional<std::int32_t> signal_of(const pmix_value_t& value) {
  pmix_status_t status = PMIX_SUCCESS;
  std::int64_t number = 0;
  PMIX_VALUE_GET_NUMBER(status, &value, number, std::int64_t);
  if (status != PMIX_SUCCESS || number < 1 || number >= NSIG) return std::nullopt;
  return static_cast<std::int32_t>(number);
}

// Whoever asks is who ends the job; which of its ranks were meant is told.
Upcall end_of_job(const pmix_proc_t& asker, const pmix_proc_t* targets, std::size_t count) {
  constexpr std::int32_t kEnded = 128 + SIGTERM;  // the first signal of both
  std::string why = "it asked for the end of the job (PMIx_Job_control)";
  if (count > 0 && targets[0].rank < PMIX_RANK_VALID) {
    why = "it had rank " + std::to_string(targets[0].rank) + " killed (PMIx_Job_control)";
  }
  return Aborted{0, from_proc(asker), kEnded, std::move(why), from_procs(targets, count)};
}

}  // namespace

std::optional<Upcall> job_control(const pmix_proc_t& asker, const pmix_proc_t* targets,
                                  std::size_t count, const pmix_info_t* directives,
                                  std::size_t directive_count) {
  if (targets == nullptr) count = 0;
  for (std::size_t i = 0; i < directive_count; ++i) {
    const pmix_info_t& one = directives[i];
    if (is_key(one, PMIX_JOB_CTRL_KILL)) return end_of_job(asker, targets, count);
    if (is_key(one, PMIX_JOB_CTRL_TERMINATE)) {
      return count == 0 ? std::optional(end_of_job(asker, targets, count)) : std::nullopt;
    }
    if (!is_key(one, PMIX_JOB_CTRL_SIGNAL)) continue;
    const auto number = signal_of(one.value);
    if (!number) return std::nullopt;
    const Proc of = count == 0 ? Proc{} : Proc{from_proc(targets[0]).nspace, kAllRanks};
    return Event{kSignalRanks, of, 0, std::to_string(*number)};
  }
  return std::nullopt;
}

}  // namespace muster::pmix
