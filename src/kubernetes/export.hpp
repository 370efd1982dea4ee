// export_job: a job in, manifests that people read, commit and apply out. Pure.
//
// `job` and `jobset` run muster in their pods, with the job file in a ConfigMap: they carry out any
// job. The others are what an operator carries out in muster's place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "kubernetes/job_run.hpp"
#include "kubernetes/value.hpp"
#include "model/job_spec.hpp"

namespace muster::kubernetes {

enum class As : std::uint8_t { job, jobset, mpijob, pytorchjob, tfjob, trainjob };

inline constexpr std::string_view kKinds = "job jobset mpijob pytorchjob tfjob trainjob";
[[nodiscard]] std::optional<As> as_of(std::string_view word);
[[nodiscard]] std::string_view word(As as);

inline constexpr const char* kCodeFolder = "/code";  // where no target says another

// When a job is made again and again.
struct Cron {
  std::string times;    // cron's five fields
  std::string zone;     // of tz
  std::string options;  // of `muster submit`, as a shell takes them: some are known only then
};

struct ExportedJob {
  Run run;                        // run_of(); its name is that of the objects
  const job::JobFile& job;        // must outlive this
  const job::Layout& layout;      // the same
  std::vector<model::App> apps;   // job::make_spec(): commands and variables, one for each part
  std::string source;             // the job file's path, as it was typed
  std::string text;               // of that file
  std::vector<std::string> more;  // further words of `muster submit` in the launcher's pod
  bool suspended = false;         // made, and not begun until somebody resumes it
  std::optional<Cron> cron = {};  // a CronJob, whatever kind is asked for
};

struct Manifest {
  std::vector<std::string> comments;  // lines for its top, without "# "
  std::vector<Value> objects;
  std::vector<std::string> notices;  // what the manifest cannot hold: one line each, for stderr
};

// Fails when the operator cannot say the job, and names a kind that can.
[[nodiscard]] base::Result<Manifest> export_job(const ExportedJob& job, As as);

// As YAML with its comments, or as one JSON List.
[[nodiscard]] base::Result<std::string> manifest_text(const Manifest& manifest, bool json);

}  // namespace muster::kubernetes
