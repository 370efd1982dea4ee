// From what a front has read to a record.
#include "cli/scheduled_record.hpp"

#include <utility>

#include "front/pipeline_request.hpp"
#include "store/folder.hpp"

namespace muster::cli {
namespace {

std::uint32_t ranks_of(const model::JobSpec& spec) {
  const auto everywhere = static_cast<std::uint32_t>(spec.hosts.size()) * spec.per_node.value_or(1);
  std::uint32_t ranks = 0;
  for (const model::App& app : spec.apps) ranks += app.ranks.value_or(everywhere);
  return ranks;
}

}  // namespace

const front::Recording& recording_in(const front::Reading& reading) {
  return reading.pipeline ? reading.pipeline->record : *reading.request->record;
}

model::RunRecord scheduled_record(const front::Reading& reading, model::Scheduler scheduler) {
  const front::Recording& known = recording_in(reading);
  model::RunRecord record;
  record.folder = known.folder;
  record.run = store::run_of(known.folder);
  record.name = known.name;
  record.title = known.title;
  record.experiment = known.experiment;
  record.tags = known.tags;
  record.outputs = known.outputs;
  record.created = store::utc_now();
  record.head = store::this_place();
  record.scheduler = std::move(scheduler);
  if (reading.request) {
    record.ranks = ranks_of(reading.request->spec);
    record.command = reading.request->spec.apps.front().command;
  }
  return record;
}

}  // namespace muster::cli
