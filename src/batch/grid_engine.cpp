// The table of Grid Engine: words of its commands.
#include "batch/grid_engine.hpp"

#include <algorithm>
#include <array>

#include "batch/grid_engine_answers.hpp"
#include "batch/grid_engine_script.hpp"

namespace muster::batch {
namespace {

// qsub(1), ENVIRONMENTAL VARIABLES; SGE_ROOT and the like say which Grid Engine.
bool is_of_grid_engine_job(std::string_view variable) {
  constexpr std::array<std::string_view, 14> kOfJob = {
      "JOB_ID",  "JOB_NAME", "JOB_SCRIPT", "PE",      "PE_HOSTFILE", "NSLOTS",      "NHOSTS",
      "NQUEUES", "QUEUE",    "REQUEST",    "REQNAME", "RESTARTED",   "SGE_TASK_ID", "SGE_BINDING"};
  return std::ranges::find(kOfJob, variable) != kOfJob.end() || variable.starts_with("SGE_O_") ||
         variable.starts_with("SGE_STD");
}

// A script that ends with 99 asks to be queued again, with 100 it waits for somebody to look after
// it (sge_diagnostics(1)); -r allows it for other reasons.
bool grid_engine_may_queue_again(std::string_view script, int code) {
  return code == 99 || code == 100 || script.find("\n#$ -r y\n") != std::string_view::npos;
}

Words qsub() { return {"qsub", "-terse"}; }
// Whether an empty cluster could run it.
Words qsub_verify() { return {"qsub", "-w", "v"}; }

// All of this user's: it knows no list of some jobs. Those that are over are listed for a while.
Words qstat(const std::vector<std::string>&) { return {"qstat", "-xml", "-s", "prsz"}; }

// It tells of one job at a time, and fails where it knows nothing of that.
Words qacct(const std::vector<std::string>& ids) {
  Words words = {"/bin/sh", "-c", R"(for i; do qacct -j "$i"; done 2>/dev/null; :)", "qacct"};
  words.insert(words.end(), ids.begin(), ids.end());
  return words;
}

// There is no way to send another signal than the one that kills.
Words qdel(const std::string& id) { return {"qdel", id}; }

}  // namespace

const System kGridEngine = {
    .kind = "grid_engine",
    .name = "Grid Engine",
    .job_variable = "JOB_ID",
    .is_of_job = is_of_grid_engine_job,
    .may_queue_again = grid_engine_may_queue_again,
    .script = grid_engine_script,
    .submit = qsub,
    .submitted = grid_engine_id,
    .asked_with = "TZ=UTC0",  // times are local, and do not say so
    .test = qsub_verify,
    .tested = grid_engine_tested,
    .list = qstat,
    .listed = grid_engine_listed,
    .past = qacct,
    .passed = grid_engine_past,
    .interrupt = nullptr,
    .cancel = qdel,
    .refused = grid_engine_refused,
};

}  // namespace muster::batch
