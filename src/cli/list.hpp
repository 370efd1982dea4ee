// list: the runs on record, as a table or as JSON; which of them a person means, and which a shell
// offers; reindex: rebuilds the index behind it.
#pragma once

#include <string>
#include <vector>

#include "cli/cli.hpp"
#include "front/request.hpp"
#include "model/record.hpp"

namespace muster::cli {

[[nodiscard]] int list(const std::string& records, const front::RecordRequest& request,
                       const Invocation& invocation);

// The name of the one run that a person means: by its own name, as store::find_run() takes it, or
// by what its job is called, "train" or "lines/train" with its experiment, where only one run is
// called so or only one of these has not ended.
[[nodiscard]] base::Result<std::string> run_meant(const std::string& records,
                                                  const std::string& word);
// All runs of this user whose job is called so.
[[nodiscard]] std::vector<model::RunRecord> runs_called(const std::string& records,
                                                        const std::string& word);

// For the completion of a shell, a line for each of the newest runs, "RUN\tJOB", and for each name
// of their jobs by which one run is found, "NAME\tRUN". Asks no scheduler. Returns as print() does.
[[nodiscard]] int offer_runs(const Invocation& invocation);

[[nodiscard]] int reindex(const std::string& records, const front::RecordRequest& request);

}  // namespace muster::cli
