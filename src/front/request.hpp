// RunRequest: what a front end asks for: the job, and what is to be done with it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/wish.hpp"
#include "front/call.hpp"
#include "job/target.hpp"
#include "model/job_spec.hpp"
#include "model/meeting.hpp"
#include "model/record.hpp"
#include "spec/moment.hpp"

namespace muster::front {

// Of a snapshot, unless the job or the user says otherwise; Azure ML's own limit.
inline constexpr std::uint64_t kSnapshotLimit = 300'000'000;

// Of a run's record: the copy of its code.
inline constexpr std::string_view kCodeFolder = "code";

// The folder of a job's code, of which the ranks get a copy.
struct CodeFolder {
  std::string folder;  // absolute
  std::uint64_t limit = kSnapshotLimit;
  std::string again = {};  // the manifest of the snapshot to be used; empty: a new one is taken
  bool has_run_folders = false;  // `outputs` and `logs` are in the copy, as Azure ML's jobs expect
};

// An image that is made on this machine before the run.
struct ImageBuild {
  std::string folder;                     // absolute
  std::string dockerfile = "Dockerfile";  // in it
};

// A file or folder that the ranks read.
struct DataPath {
  std::string path;         // as they know it
  std::string from = {};    // what is to be found there, if that lies elsewhere: a path or address
  std::string sha256 = {};  // of what is fetched, where somebody says it
};

// A folder for what a run may go on from.
struct Checkpoints {
  std::string folder;        // absolute; made if it is not there
  std::string earlier = {};  // the record of a run whose checkpoints become those of this one
};

// What is printed of the plan in Open MPI's format, beside running it.
struct Shown {
  bool map = false;         // --display-map, on stdout
  bool allocation = false;  // --display-allocation, on stdout
  bool bindings = false;    // --report-bindings, on stderr
};

// In a record: MLflow's files, which this variable names.
inline constexpr std::string_view kTrackingUri = "MLFLOW_TRACKING_URI";
// MLflow 3.17 and later write files only where this one is "true".
inline constexpr std::string_view kAllowFileStore = "MLFLOW_ALLOW_FILE_STORE";
inline constexpr std::string_view kMetricsFolder = "mlruns";

// What the record of a run holds beside spec and plan.
struct Recording {
  std::string name;   // of the job
  std::string title;  // its display_name
  std::string experiment;
  std::vector<model::NamedPath> outputs;
  bool overwrites = false;  // at the paths of all outputs, what is the user's
  std::vector<model::Tag> tags;
  std::string streams;   // folder of rank.N/stdout and stderr, if one was named
  bool metrics = false;  // the ranks write some in the record, which are wanted at the end
  // Set by the caller of the front end:
  model::TypedCommand asked = {};
  std::string folder = {};  // of the record; empty: unknown
  // Of a run that a batch system has started: whose job it is, and since when. Its record is there.
  model::Scheduler scheduler = {};
  std::optional<model::Utc> submitted = {};
  // Names of what lies in a cloud, and what stands for them here: KnownNames::led().
  std::vector<model::NamedPath> names = {};
};

// When a run leaves a record.
enum class Keeps : std::uint8_t {
  never,
  on_request,  // only with MUSTER_RECORD=yes
  usually,     // except with MUSTER_RECORD=no
  always,      // it is reported if none can be kept; the ranks' output is kept, too
};

// Settings of how hosts are reached, by their options: somebody has said these of this run.
using SaidReach = std::vector<std::string_view>;

struct RunRequest {
  model::JobSpec spec;
  SaidReach said_reach = {};
  std::string beside = {};  // the folder of the job file; empty: there is none
  // Hosts that Slurm is to be asked for before anything else; `spec` has none until they are there.
  std::optional<batch::Wish> allocation = {};
  job::Targets defaults = {};  // for them: what muster.yml says
  Shown shown;
  std::optional<model::Meeting> meeting = {};  // other nodes are started separately
  Keeps keeps = Keeps::on_request;
  std::optional<Recording> record = {};
  std::vector<DataPath> data = {};
  std::optional<Checkpoints> checkpoints = {};
  std::vector<std::string> secrets = {};  // variables whose values are not shown
  std::optional<CodeFolder> code = {};    // none: the ranks run in the folder itself
  // Packages of which each host makes an environment for its ranks: job::conda_text(); or nothing.
  std::string packages = {};
  std::optional<ImageBuild> build = {};  // stands for job::kBuiltImage
  bool detach = false;                   // continue without terminal and shell
  bool do_not_launch = false;            // show what is to be shown, then end with 0
  int refusal_code = 0;                  // exit code when nothing may start; 0: base::exit_code()
  bool quiet = false;                    // notices are not printed
  bool dry_run = false;
  bool json = false;
  bool show_environment = false;  // --env with --dry-run
  bool shows_one_rank = false;    // as text, of the variables that ranks have for themselves
  // What the launcher in the command of a job will ask for, as far as its arguments show; or
  // nothing.
  std::shared_ptr<const RunRequest> inner = {};
};

// What is to be done with runs that are on record.
enum class RecordVerb : std::uint8_t {
  list,
  show,
  logs,
  wait,
  stop,
  report,
  graph,
  remove,
  rerun,
  reindex,
  collect,
};

struct RecordRequest {
  RecordVerb verb = RecordVerb::list;
  std::vector<std::string> runs;          // as they were typed
  model::RunFilter filter;                // which are listed, or removed
  std::optional<std::uint32_t> most;      // how many are listed
  std::optional<std::uint64_t> max_size;  // bytes of all records
  model::Scheduler scheduler;             // whose runs are meant as well; its id is empty
  model::JobSpec reach;                   // hosts that are meant as well, and how to reach them
  SaidReach said_reach = {};
  bool all = false;
  std::optional<std::uint32_t> rank;  // whose output; none: that of all
  bool only_errors = false;
  bool follow = false;
  std::optional<std::uint32_t> tail;  // lines of each stream; none: all
  std::optional<spec::Moment> since;  // what was written before is not meant
  bool svg = false;                   // of a graph; else Mermaid's text
  bool detach = false;
  bool json = false;
  bool lines = false;  // JSON without a list around the objects
  bool watch = false;  // lists again and again
  bool dry_run = false;
  bool unasked = false;            // removes without asking first
  bool foreign = false;            // runs of other users, too
  bool force = false;              // a rerun whose outputs may take the place of the user's files
  bool fresh_code = false;         // a rerun with the files of now
  bool fresh_checkpoints = false;  // a rerun that does not go on from those of the run
  std::vector<ReachWish> reach_wishes = {};  // of a rerun
};

}  // namespace muster::front
