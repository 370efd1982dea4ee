// list: the runs on record, as a table or as JSON; which of them a person means; reindex: rebuilds
// the index behind it.
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

[[nodiscard]] int reindex(const std::string& records, const front::RecordRequest& request);

}  // namespace muster::cli
