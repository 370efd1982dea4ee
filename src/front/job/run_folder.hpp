// The folder in which a job runs, as its output `artifacts`: where that lies, and when it is empty.
#pragma once

#include <string>

#include "front/call.hpp"
#include "front/job/options.hpp"
#include "job/job_file.hpp"
#include "job/values.hpp"

namespace muster::front {

// It gets a copy of its `code`, unless it lies on its hosts only.
[[nodiscard]] bool runs_in_copy(const JobDraft& draft, const job::JobFile& job);

// The copy of its code in which such a job of Azure ML's runs, below its record: its output
// `artifacts`. Empty: it has none, or one for each of a sweep's trials; that output is then one
// like others.
[[nodiscard]] std::string runs_in(const JobDraft& draft, const job::JobFile& job,
                                  const std::string& record);

// Of a job for other hosts whose code is not on this machine, so that no copy can be made: that
// this output stays empty. Empty: it is here, or nobody knows, or the job has no such output.
[[nodiscard]] std::string told_empty_run_folder(const Call& call, const JobDraft& draft,
                                                const job::JobFile& job, const std::string& folder);

}  // namespace muster::front
