// The rows of muster.yml below targets.NAME.slurm and .grid_engine.
#pragma once

#include <algorithm>

#include "job/key.hpp"
#include "job/target.hpp"

namespace muster::job {

inline BatchPlace& batch_of(Targets& targets) { return *targets.all.back().batch; }

// A second one is complained about later: a target has one kind.
inline void add_batch(Targets& targets, const Found& found) {
  BatchPlace& place = targets.all.back().batch.emplace();
  place.kind = found.key;
  place.mark = found.key_mark;
}

template <auto Member>
void into_batch(Targets& targets, const Found& found) {
  store(batch_of(targets).*Member, found);
}

// Items of a list become one value, with commas.
inline void add_batch_option(Targets& targets, const Found& found) {
  Text value;
  store(value, found);
  auto& options = batch_of(targets).options;
  const auto same = std::ranges::find(options, found.key, &Named::name);
  if (same == options.end()) {
    options.push_back({std::string(found.key), found.key_mark, std::move(value)});
  } else {
    same->value.text += "," + value.text;
  }
}

inline constexpr Key<Targets> kBatchSetup = {
    {"setup", Form::text, "Lines of shell before muster is called.", {.listed = true}},
    into_batch<&BatchPlace::setup>};
inline constexpr Key<Targets> kBatchProgram = {
    {"muster", Form::text, "The path of muster on the nodes (default: that of the one here)."},
    into_batch<&BatchPlace::program>};
inline constexpr Key<Targets> kBatchNodes = {
    {"nodes", Form::count, "Nodes to ask for (default: as many as the job, or its largest step)."},
    into_batch<&BatchPlace::nodes>};

inline constexpr Key<Targets> kSlurmKeys[] = {
    {{"partition", Form::text, "Where the job is queued; several: any of them.", {.listed = true}},
     add_batch_option},
    {{"account", Form::text, "Who is charged."}, add_batch_option},
    {{"qos", Form::text, "The quality of service."}, add_batch_option},
    {{"time", Form::text, "The time limit: minutes, or D-HH:MM:SS."}, add_batch_option},
    {{"gres", Form::text, "Generic resources of each node: gpu:a100:4.", {.listed = true}},
     add_batch_option},
    {{"gpus_per_node", Form::text, "GPUs of each node: 4, or a100:4."}, add_batch_option},
    {{"constraint", Form::text, "Features that nodes must have."}, add_batch_option},
    {{"nodelist", Form::text, "Nodes that must be among those of the job.", {.listed = true}},
     add_batch_option},
    {{"exclude", Form::text, "Nodes that are not to be taken.", {.listed = true}},
     add_batch_option},
    {{"mem", Form::text, "Memory of each node: 64G; 0: all of it."}, add_batch_option},
    {{"cpus_per_task", Form::count, "Processors of each process."}, add_batch_option},
    {{"exclusive", Form::boolean, "Whether the nodes are shared with no other job."},
     add_batch_option},
    {{"signal", Form::text, "A signal before the time limit: USR1@60."}, add_batch_option},
    {{"requeue", Form::boolean, "Whether Slurm may queue the job again (default: false)."},
     add_batch_option},
    {{"array",
      Form::text,
      "Tasks of an array, in scripts that muster export writes: 0-15%4.",
      {.listed = true}},
     add_batch_option},
    {{"reservation", Form::text, "The reservation to be used."}, add_batch_option},
    {{"licenses", Form::text, "Licenses that the job needs.", {.listed = true}}, add_batch_option},
    {{"nice", Form::count, "How much lower the priority is.", {.least = 0}}, add_batch_option},
    {{"wckey", Form::text, "A key for the accounting."}, add_batch_option},
    {{"mail_type", Form::text, "When mail is sent: END, FAIL.", {.listed = true}},
     add_batch_option},
    {{"mail_user", Form::text, "Who gets the mail."}, add_batch_option},
    {{"options", Form::text, "Any other option of sbatch, without dashes.", {.each = true}},
     into_batch<&BatchPlace::raw>},
    kBatchSetup,
    kBatchProgram,
    kBatchNodes,
};

inline constexpr Key<Targets> kGridEngineKeys[] = {
    {{"pe",
      Form::text,
      "The parallel environment; it decides how many slots are on each node.",
      {.required = true}},
     add_batch_option},
    {{"queue", Form::text, "Where the job is queued; several: any of them.", {.listed = true}},
     add_batch_option},
    {{"project", Form::text, "The project that the job belongs to."}, add_batch_option},
    {{"account", Form::text, "A word for the accounting."}, add_batch_option},
    {{"resources", Form::text, "What each slot needs: h_rt=3600, mem_free=4G.", {.listed = true}},
     add_batch_option},
    {{"options", Form::text, "Any other option of qsub, without its dash.", {.each = true}},
     into_batch<&BatchPlace::raw>},
    kBatchSetup,
    kBatchProgram,
    kBatchNodes,
};

}  // namespace muster::job
