// The table of knobs, and their values.
#include "front/horovod/knobs.hpp"

#include <algorithm>
#include <charconv>

#include "base/words.hpp"
#include "spec/in_quotes.hpp"
#include "spec/number.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;

constexpr std::uint32_t kCountMax = 1'000'000'000;
constexpr std::uint32_t kMebibytesMax = 1'000'000;
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::string_view kLevels[] = {"TRACE", "DEBUG", "INFO", "WARNING", "ERROR", "FATAL"};

using enum KnobKind;

constexpr Knob kKnobs[] = {
    {"params", "fusion_threshold_mb", "HOROVOD_FUSION_THRESHOLD", mebibytes},
    {"params", "cycle_time_ms", "HOROVOD_CYCLE_TIME", number},
    {"params", "cache_capacity", "HOROVOD_CACHE_CAPACITY", count},
    {"params", "hierarchical_allreduce", "HOROVOD_HIERARCHICAL_ALLREDUCE", flag},
    {"params", "hierarchical_allgather", "HOROVOD_HIERARCHICAL_ALLGATHER", flag},
    {"params", "torus_allreduce", "HOROVOD_TORUS_ALLREDUCE", flag},
    {"autotune", "enabled", "HOROVOD_AUTOTUNE", flag},
    {"autotune", "log_file", "HOROVOD_AUTOTUNE_LOG", text},
    {"autotune", "warmup_samples", "HOROVOD_AUTOTUNE_WARMUP_SAMPLES", count},
    {"autotune", "steps_per_sample", "HOROVOD_AUTOTUNE_STEPS_PER_SAMPLE", count},
    {"autotune", "bayes_opt_max_samples", "HOROVOD_AUTOTUNE_BAYES_OPT_MAX_SAMPLES", count},
    {"autotune", "gaussian_process_noise", "HOROVOD_AUTOTUNE_GAUSSIAN_PROCESS_NOISE", share},
    {"timeline", "filename", "HOROVOD_TIMELINE", text},
    {"timeline", "mark_cycles", "HOROVOD_TIMELINE_MARK_CYCLES", flag},
    {"stall_check", "enabled", "HOROVOD_STALL_CHECK_DISABLE", negation},
    {"stall_check", "warning_time_seconds", "HOROVOD_STALL_CHECK_TIME_SECONDS", count},
    {"stall_check", "shutdown_time_seconds", "HOROVOD_STALL_SHUTDOWN_TIME_SECONDS", count},
    {"library_options", "mpi_threads_disable", "HOROVOD_MPI_THREADS_DISABLE", flag},
    {"library_options", "num_nccl_streams", "HOROVOD_NUM_NCCL_STREAMS", count},
    {"library_options", "thread_affinity", "HOROVOD_THREAD_AFFINITY", count},
    {"library_options", "ccl_bgt_affinity", "HOROVOD_CCL_BGT_AFFINITY", count},    // until 0.19
    {"library_options", "mlsl_bgt_affinity", "HOROVOD_MLSL_BGT_AFFINITY", count},  // until 0.18
    {"library_options", "gloo_timeout_seconds", "HOROVOD_GLOO_TIMEOUT_SECONDS", count},
    {"logging", "level", "HOROVOD_LOG_LEVEL", level},
    {"logging", "with_timestamp", "HOROVOD_LOG_HIDE_TIME", negation},
    {"logging", "hide_timestamp", "HOROVOD_LOG_HIDE_TIME", flag},  // until 0.20
};

// Decimal, without exponent, as it stands.
Result<std::string> decimal(std::string_view name, std::string_view text, double most) {
  double number = -1;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && number >= 0 && number <= most) return std::string(text);
  return fail(Fault::usage, "", "{} must be a number from 0 to {:g}, not {}", name, most,
              spec::in_quotes(text));
}

Result<std::string> truth(std::string_view name, std::string_view text, bool opposite) {
  const std::string word = base::lower(text);
  const bool yes = word == "true" || word == "yes" || word == "on" || word == "1";
  const bool no = word == "false" || word == "no" || word == "off" || word == "0";
  if (!yes && !no) {
    return fail(Fault::usage, "", "{} must be true or false, not {}", name, spec::in_quotes(text));
  }
  return std::string(yes != opposite ? "1" : "0");
}

Result<std::string> log_level(std::string_view name, std::string_view text) {
  if (std::ranges::find(kLevels, text) != std::end(kLevels)) return std::string(text);
  return fail(Fault::usage, "", "{} must be TRACE, DEBUG, INFO, WARNING, ERROR or FATAL, not {}",
              name, spec::in_quotes(text));
}

bool is_on(const HorovodDraft& draft, std::string_view variable) {
  const auto found = draft.knobs.find(variable);
  return found != draft.knobs.end() && found->second != "0";
}

}  // namespace

std::span<const Knob> horovod_knobs() { return kKnobs; }

Result<std::string> knob_value(KnobKind kind, std::string_view name, std::string_view text) {
  switch (kind) {
    case count:
      return spec::read_number(name, text, {0, kCountMax}, Fault::usage).map([](auto number) {
        return std::to_string(number);
      });
    case mebibytes:
      return spec::read_number(name, text, {0, kMebibytesMax}, Fault::usage).map([](auto number) {
        return std::to_string(number * kMebibyte);
      });
    case number:
      return decimal(name, text, kCountMax);
    case share:
      return decimal(name, text, 1);
    case level:
      return log_level(name, text);
    case KnobKind::text:
      return std::string(text);
    case flag:
    case negation:
      return truth(name, text, kind == negation);
  }
  return std::string(text);
}

void drop_idle_knobs(HorovodDraft& draft) {
  const bool tunes = is_on(draft, "HOROVOD_AUTOTUNE");
  const bool draws = draft.knobs.contains("HOROVOD_TIMELINE");
  std::erase_if(draft.knobs, [&](const auto& knob) {
    const bool of_tuning = knob.first.starts_with("HOROVOD_AUTOTUNE");
    const bool of_timeline = knob.first.starts_with("HOROVOD_TIMELINE");
    return (of_tuning && !tunes) || (of_timeline && !draws);
  });
}

}  // namespace muster::front
