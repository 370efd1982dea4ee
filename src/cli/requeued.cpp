// Asks the record alone: its end, the job's script, and what was noted.
#include "cli/requeued.hpp"

#include <unistd.h>

#include "batch/system.hpp"
#include "store/files.hpp"
#include "store/taken_over.hpp"

namespace muster::cli {
namespace {

using model::RunRecord;
using model::RunState;

std::string note_of(const RunRecord& record) { return record.folder + "/" + store::kJobOver; }

model::StepRecord waiting_anew(const model::StepRecord& step) {
  model::StepRecord fresh;
  fresh.name = step.name;
  return fresh;
}

}  // namespace

bool may_run_again(const RunRecord& record) {
  const batch::System* system = batch::system_of(record.scheduler.kind);
  if (system == nullptr || record.scheduler.id.empty()) return false;
  if (record.is_live() || record.ended_well()) return false;
  if (::access(note_of(record).c_str(), F_OK) == 0) return false;
  const auto script = store::read_file(record.folder + "/" + store::kJobScript);
  return script && system->may_queue_again(*script, record.exit_code.value_or(0));
}

void note_job_over(const RunRecord& record) { (void)store::write_file(note_of(record), ""); }

RunRecord between_attempts(RunRecord record) {
  record.state = RunState::queued;
  record.cause.clear();
  record.exit_code.reset();
  record.code_from.clear();
  record.started.reset();
  record.ended.reset();
  record.hosts.clear();
  for (model::StepRecord& step : record.steps) step = waiting_anew(step);
  return record;
}

}  // namespace muster::cli
