// The options of the commands that take a job file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "front/hosts.hpp"
#include "front/output_styles.hpp"
#include "front/reach_options.hpp"
#include "front/table.hpp"
#include "job/layout.hpp"
#include "job/names.hpp"
#include "job/values.hpp"
#include "model/record.hpp"

namespace muster::front {

// One of kReachSettings, as it was typed.
struct TypedReach {
  const ReachSetting* setting;
  std::string value;
};

// What is said of a job beside its file.
struct JobDraft {
  std::vector<job::Setting> typed_settings;  // all of --set
  std::vector<job::Setting> settings;        // those of inputs
  job::Leads leads;                          // what names of a cloud stand for
  std::vector<model::Tag> tags;
  std::string target;
  NamedHosts hosts;
  std::uint32_t fake_nodes = 0;
  job::Counts counts;
  std::vector<std::string> without;
  std::string image;                   // in place of those that the file names
  model::ContainerSpec container;      // how it is started
  model::EnvironmentRule environment;  // beside that of the file
  std::string current_folder;
  MusterOutput output;
  std::string experiment;
  std::string python_path;           // behind the ranks' PYTHONPATH
  std::uint32_t at_once = 0;         // steps of a pipeline; 0: as many as the slots hold
  std::uint32_t retries = 0;         // of each step of a pipeline
  std::vector<std::string> skipped;  // steps of a pipeline
  std::vector<std::string> secrets;
  std::vector<TypedReach> reach;
  bool no_snapshot = false;
  std::optional<std::uint64_t> snapshot_limit;
  bool force = false;  // outputs take the place of what is the user's
  bool dry_run = false;
  bool explains = false;   // a plan is all that is wanted, too
  bool validates = false;  // only what is wrong is
  bool check = false;      // only ask the target
  bool detach = false;
  bool verbose = false;
  std::string as;           // of an export
  std::string mpi;          // of an export: OpenMPI, Intel or MPICH
  std::string runtime;      // of an export: of a TrainJob
  bool suspended = false;   // of an export
  std::string output_file;  // of an export
  std::string name;         // of an export's objects
  bool all_ranks = false;   // a plan shows the variables of each
  bool json = false;
  bool help = false;
};

// The last that was typed.
[[nodiscard]] std::optional<base::Duration> typed_start_timeout(const JobDraft& draft);

[[nodiscard]] std::span<const Option<JobDraft>> submit_table();
[[nodiscard]] std::span<const Option<JobDraft>> explain_table();
[[nodiscard]] std::span<const Option<JobDraft>> validate_table();
[[nodiscard]] std::span<const Option<JobDraft>> schema_table();
[[nodiscard]] std::span<const Option<JobDraft>> export_table();

}  // namespace muster::front
