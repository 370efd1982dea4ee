// The rows of horovodrun's table that become variables of Horovod.
#pragma once

#include <array>
#include <string>

#include "front/horovod/knobs.hpp"
#include "front/late.hpp"
#include "front/table.hpp"
#include "option/values.hpp"

namespace muster::front {

// One knob as an option: what it sets, and to what when it takes no value.
struct HorovodRow {
  std::string_view variable;
  KnobKind kind;
  std::string_view fixed = {};
};

template <const HorovodRow& row>
base::Result<void> set_horovod_knob(HorovodDraft& draft, const Typed& typed) {
  const std::string_view text = row.fixed.empty() ? typed.value : row.fixed;
  return knob_value(row.kind, typed.option, text)
      .map([&](std::string value) { draft.knobs[row.variable] = std::move(value); })
      .map_error([&](base::Error error) { return late_if_number(typed, std::move(error)); });
}

// Their addresses are arguments of templates, so each needs a name.
namespace horovod_rows {
using enum KnobKind;
inline constexpr HorovodRow kFusion{"HOROVOD_FUSION_THRESHOLD", mebibytes};
inline constexpr HorovodRow kCycle{"HOROVOD_CYCLE_TIME", number};
inline constexpr HorovodRow kCache{"HOROVOD_CACHE_CAPACITY", count};
inline constexpr HorovodRow kReduce{"HOROVOD_HIERARCHICAL_ALLREDUCE", flag, "1"};
inline constexpr HorovodRow kNoReduce{"HOROVOD_HIERARCHICAL_ALLREDUCE", flag, "0"};
inline constexpr HorovodRow kGather{"HOROVOD_HIERARCHICAL_ALLGATHER", flag, "1"};
inline constexpr HorovodRow kNoGather{"HOROVOD_HIERARCHICAL_ALLGATHER", flag, "0"};
inline constexpr HorovodRow kTorus{"HOROVOD_TORUS_ALLREDUCE", flag, "1"};
inline constexpr HorovodRow kNoTorus{"HOROVOD_TORUS_ALLREDUCE", flag, "0"};
inline constexpr HorovodRow kTune{"HOROVOD_AUTOTUNE", flag, "1"};
inline constexpr HorovodRow kNoTune{"HOROVOD_AUTOTUNE", flag, "0"};
inline constexpr HorovodRow kTuneLog{"HOROVOD_AUTOTUNE_LOG", text};
inline constexpr HorovodRow kWarmup{"HOROVOD_AUTOTUNE_WARMUP_SAMPLES", count};
inline constexpr HorovodRow kSteps{"HOROVOD_AUTOTUNE_STEPS_PER_SAMPLE", count};
inline constexpr HorovodRow kBayes{"HOROVOD_AUTOTUNE_BAYES_OPT_MAX_SAMPLES", count};
inline constexpr HorovodRow kNoise{"HOROVOD_AUTOTUNE_GAUSSIAN_PROCESS_NOISE", share};
inline constexpr HorovodRow kTimeline{"HOROVOD_TIMELINE", text};
inline constexpr HorovodRow kCycles{"HOROVOD_TIMELINE_MARK_CYCLES", flag, "1"};
inline constexpr HorovodRow kNoCycles{"HOROVOD_TIMELINE_MARK_CYCLES", flag, "0"};
inline constexpr HorovodRow kNoStall{"HOROVOD_STALL_CHECK_DISABLE", flag, "1"};
inline constexpr HorovodRow kStall{"HOROVOD_STALL_CHECK_DISABLE", flag, "0"};
inline constexpr HorovodRow kStallWarn{"HOROVOD_STALL_CHECK_TIME_SECONDS", count};
inline constexpr HorovodRow kStallEnd{"HOROVOD_STALL_SHUTDOWN_TIME_SECONDS", count};
inline constexpr HorovodRow kNoThreads{"HOROVOD_MPI_THREADS_DISABLE", flag, "1"};
inline constexpr HorovodRow kThreads{"HOROVOD_MPI_THREADS_DISABLE", flag, "0"};
inline constexpr HorovodRow kStreams{"HOROVOD_NUM_NCCL_STREAMS", count};
inline constexpr HorovodRow kAffinity{"HOROVOD_THREAD_AFFINITY", count};
inline constexpr HorovodRow kCclAffinity{"HOROVOD_CCL_BGT_AFFINITY", count};
inline constexpr HorovodRow kGlooTime{"HOROVOD_GLOO_TIMEOUT_SECONDS", count};
inline constexpr HorovodRow kLevel{"HOROVOD_LOG_LEVEL", level};
inline constexpr HorovodRow kTimes{"HOROVOD_LOG_HIDE_TIME", flag, "0"};
inline constexpr HorovodRow kNoTimes{"HOROVOD_LOG_HIDE_TIME", flag, "1"};

inline constexpr std::string_view kTuning = "Tuning Horovod";
inline constexpr std::string_view kTuneItself = "Horovod's autotuning";
inline constexpr std::string_view kWatch = "Timeline and stalls";
inline constexpr std::string_view kLibrary = "Libraries and log";
}  // namespace horovod_rows

inline constexpr auto kHorovodTuningRows = std::to_array<Option<HorovodDraft>>({
    {{"--fusion-threshold-mb", horovod_rows::kTuning, Takes::number, "MB",
      "Tensors are fused up to this many MiB; 0: never (HOROVOD_FUSION_THRESHOLD, in bytes)."},
     set_horovod_knob<horovod_rows::kFusion>},
    {{"--cycle-time-ms", horovod_rows::kTuning, Takes::number, "MS",
      "Time between two fusions (HOROVOD_CYCLE_TIME)."},
     set_horovod_knob<horovod_rows::kCycle>},
    {{"--cache-capacity", horovod_rows::kTuning, Takes::number, "N",
      "How many names of tensors are cached (HOROVOD_CACHE_CAPACITY)."},
     set_horovod_knob<horovod_rows::kCache>},
    {{"--hierarchical-allreduce", horovod_rows::kTuning, Takes::nothing, "",
      "Reduce within each host first (HOROVOD_HIERARCHICAL_ALLREDUCE=1)."},
     set_horovod_knob<horovod_rows::kReduce>},
    {{"--no-hierarchical-allreduce", horovod_rows::kTuning, Takes::nothing, "",
      "Never do so (HOROVOD_HIERARCHICAL_ALLREDUCE=0)."},
     set_horovod_knob<horovod_rows::kNoReduce>},
    {{"--hierarchical-allgather", horovod_rows::kTuning, Takes::nothing, "",
      "Gather within each host first (HOROVOD_HIERARCHICAL_ALLGATHER=1)."},
     set_horovod_knob<horovod_rows::kGather>},
    {{"--no-hierarchical-allgather", horovod_rows::kTuning, Takes::nothing, "",
      "Never do so (HOROVOD_HIERARCHICAL_ALLGATHER=0)."},
     set_horovod_knob<horovod_rows::kNoGather>},
    {{"--torus-allreduce", horovod_rows::kTuning, Takes::nothing, "",
      "Reduce within each host first, and between hosts through NCCL (HOROVOD_TORUS_ALLREDUCE=1)."},
     set_horovod_knob<horovod_rows::kTorus>},
    {{"--no-torus-allreduce", horovod_rows::kTuning, Takes::nothing, "",
      "Never do so (HOROVOD_TORUS_ALLREDUCE=0)."},
     set_horovod_knob<horovod_rows::kNoTorus>},
    {{"--autotune", horovod_rows::kTuneItself, Takes::nothing, "",
      "Let Horovod find its best parameters (HOROVOD_AUTOTUNE=1)."},
     set_horovod_knob<horovod_rows::kTune>},
    {{"--no-autotune", horovod_rows::kTuneItself, Takes::nothing, "",
      "Do not; the options below have no effect then."},
     set_horovod_knob<horovod_rows::kNoTune>},
    {{"--autotune-log-file", horovod_rows::kTuneItself, Takes::file, "FILE",
      "Where each trial is written (HOROVOD_AUTOTUNE_LOG)."},
     set_horovod_knob<horovod_rows::kTuneLog>},
    {{"--autotune-warmup-samples", horovod_rows::kTuneItself, Takes::number, "N",
      "Samples to discard first (HOROVOD_AUTOTUNE_WARMUP_SAMPLES)."},
     set_horovod_knob<horovod_rows::kWarmup>},
    {{"--autotune-steps-per-sample", horovod_rows::kTuneItself, Takes::number, "N",
      "Steps of a sample (HOROVOD_AUTOTUNE_STEPS_PER_SAMPLE)."},
     set_horovod_knob<horovod_rows::kSteps>},
    {{"--autotune-bayes-opt-max-samples", horovod_rows::kTuneItself, Takes::number, "N",
      "The most samples (HOROVOD_AUTOTUNE_BAYES_OPT_MAX_SAMPLES)."},
     set_horovod_knob<horovod_rows::kBayes>},
    {{"--autotune-gaussian-process-noise", horovod_rows::kTuneItself, Takes::number, "SHARE",
      "Noise to expect, 0 to 1 (HOROVOD_AUTOTUNE_GAUSSIAN_PROCESS_NOISE)."},
     set_horovod_knob<horovod_rows::kNoise>},
    {{"--timeline-filename", horovod_rows::kWatch, Takes::file, "FILE",
      "Where Horovod writes its timeline (HOROVOD_TIMELINE)."},
     set_horovod_knob<horovod_rows::kTimeline>},
    {{"--timeline-mark-cycles", horovod_rows::kWatch, Takes::nothing, "",
      "Mark cycles on the timeline (HOROVOD_TIMELINE_MARK_CYCLES=1)."},
     set_horovod_knob<horovod_rows::kCycles>},
    {{"--no-timeline-mark-cycles", horovod_rows::kWatch, Takes::nothing, "",
      "Do not (HOROVOD_TIMELINE_MARK_CYCLES=0)."},
     set_horovod_knob<horovod_rows::kNoCycles>},
    {{"--no-stall-check", horovod_rows::kWatch, Takes::nothing, "",
      "Do not warn of ranks that wait long (HOROVOD_STALL_CHECK_DISABLE=1)."},
     set_horovod_knob<horovod_rows::kNoStall>},
    {{"--stall-check", horovod_rows::kWatch, Takes::nothing, "",
      "Warn of them (HOROVOD_STALL_CHECK_DISABLE=0)."},
     set_horovod_knob<horovod_rows::kStall>},
    {{"--stall-check-warning-time-seconds", horovod_rows::kWatch, Takes::number, "SECONDS",
      "When to warn (HOROVOD_STALL_CHECK_TIME_SECONDS)."},
     set_horovod_knob<horovod_rows::kStallWarn>},
    {{"--stall-check-shutdown-time-seconds", horovod_rows::kWatch, Takes::number, "SECONDS",
      "When to give up; 0: never (HOROVOD_STALL_SHUTDOWN_TIME_SECONDS)."},
     set_horovod_knob<horovod_rows::kStallEnd>},
    {{"--mpi-threads-disable", horovod_rows::kLibrary, Takes::nothing, "",
      "Use MPI without threads (HOROVOD_MPI_THREADS_DISABLE=1)."},
     set_horovod_knob<horovod_rows::kNoThreads>},
    {{"--no-mpi-threads-disable", horovod_rows::kLibrary, Takes::nothing, "",
      "Use MPI with threads (HOROVOD_MPI_THREADS_DISABLE=0)."},
     set_horovod_knob<horovod_rows::kThreads>},
    {{"--num-nccl-streams", horovod_rows::kLibrary, Takes::number, "N",
      "Streams of NCCL (HOROVOD_NUM_NCCL_STREAMS)."},
     set_horovod_knob<horovod_rows::kStreams>},
    {{"--thread-affinity", horovod_rows::kLibrary, Takes::number, "CORE",
      "The core of Horovod's own thread (HOROVOD_THREAD_AFFINITY)."},
     set_horovod_knob<horovod_rows::kAffinity>},
    {{"--ccl-bgt-affinity", horovod_rows::kLibrary, Takes::number, "CORE",
      "The same in Horovod before 0.20, built with oneCCL (HOROVOD_CCL_BGT_AFFINITY)."},
     set_horovod_knob<horovod_rows::kCclAffinity>},
    {{"--gloo-timeout-seconds", horovod_rows::kLibrary, Takes::number, "SECONDS",
      "How long an operation of gloo may take (HOROVOD_GLOO_TIMEOUT_SECONDS)."},
     set_horovod_knob<horovod_rows::kGlooTime>},
    {{"--log-level",
      horovod_rows::kLibrary,
      Takes::choice,
      "LEVEL",
      "The least that Horovod logs (HOROVOD_LOG_LEVEL).",
      {.choices = "TRACE DEBUG INFO WARNING ERROR FATAL"}},
     set_horovod_knob<horovod_rows::kLevel>},
    {{"--log-with-timestamp --no-log-hide-timestamp", horovod_rows::kLibrary, Takes::nothing, "",
      "Write the time into Horovod's log (HOROVOD_LOG_HIDE_TIME=0)."},
     set_horovod_knob<horovod_rows::kTimes>},
    {{"--log-without-timestamp --log-hide-timestamp", horovod_rows::kLibrary, Takes::nothing, "",
      "Leave it out (HOROVOD_LOG_HIDE_TIME=1)."},
     set_horovod_knob<horovod_rows::kNoTimes>},
});

}  // namespace muster::front
