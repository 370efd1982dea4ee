// The words of one rank's program, where torchrun's ${local_rank} stands in them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/job_spec.hpp"

namespace muster::plan {

// In these words "${local_rank}" and "$local_rank" become the number, "$$" becomes "$", all else
// stays: the rules of Python's string.Template.safe_substitute, by which torchrun goes
// (torch/distributed/elastic/utils/api.py).
[[nodiscard]] std::vector<std::string> with_local_rank(std::vector<std::string> command,
                                                       const model::WordRange& words,
                                                       std::uint32_t local_rank);

}  // namespace muster::plan
