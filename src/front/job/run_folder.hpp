// The folder in which a job runs, as its output `artifacts`: where that lies, and when it is empty.
#pragma once

#include <string>

#include "front/call.hpp"
#include "front/job/options.hpp"
#include "job/job_file.hpp"
#include "job/target.hpp"
#include "job/values.hpp"

namespace muster::front {

// It gets a copy of its `code`, unless it lies on its hosts only.
[[nodiscard]] bool runs_in_copy(const JobDraft& draft, const job::JobFile& job);

// Whether the folder of its code is not on this machine; false where that is not known.
[[nodiscard]] bool lacks_code(const Call& call, const job::JobFile& job, const std::string& folder);
// In the images of a cluster, or in a volume of it.
[[nodiscard]] bool has_own_code(const job::Target& target);

// The copy of its code in which such a job of Azure ML's runs, below its record: its output
// `artifacts`. Empty: it has none, or one for each of a sweep's trials; that output is then one
// like others.
[[nodiscard]] std::string runs_in(const JobDraft& draft, const job::JobFile& job,
                                  const std::string& record);

// The notice that this output will be empty: the job runs on other hosts, and its code is not on
// this machine, so no copy of it can be made. "" if the code is here, if that is not known, or if
// the job has no such output.
[[nodiscard]] std::string told_empty_run_folder(const Call& call, const JobDraft& draft,
                                                const job::JobFile& job, const std::string& folder);

}  // namespace muster::front
