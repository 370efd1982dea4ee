// read_job_request: a job file and the options beside it in, a request out, or all errors.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "front/front.hpp"
#include "front/job/options.hpp"
#include "job/job_spec.hpp"

namespace muster::front {

// Finds the target: -H, --hostfile and --fake-nodes win over --target, that over the file's. The
// targets are in muster.yml beside the job file, else in the current folder, else among the user's
// configuration ($XDG_CONFIG_HOME/muster, or ~/.config/muster).
[[nodiscard]] base::Result<Reading> read_job_request(const Call& call, const JobDraft& draft,
                                                     const std::string& file);

// A job that has been read, with what was noticed on the way.
struct JobSource {
  job::JobFile job;
  std::string folder;  // absolute; where its relative paths begin
  std::vector<std::string> notices;
  std::vector<std::string> sources = {};  // of its marks, where they are in several files
  job::FindData find = {};                // its names of data; empty: they have been looked for
  bool is_rehearsed = false;              // where it will run is not known
  bool comes_later = false;               // others run before, and may make its files; or never
  bool has_open_counts = false;           // some of its numbers stand for others
};
[[nodiscard]] Reading job_request(const Call& call, const JobDraft& draft, JobSource source,
                                  const job::Place& place);

}  // namespace muster::front
