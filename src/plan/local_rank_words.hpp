// The words of one rank's program, where torchrun's ${local_rank} stands in them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster::plan {

// "${local_rank}" and "$local_rank" become the number, "$$" becomes "$", all else stays: the rules
// of Python's string.Template.safe_substitute, by which torchrun goes
// (torch/distributed/elastic/utils/api.py). The program itself stays as it is.
[[nodiscard]] std::vector<std::string> with_local_rank(std::vector<std::string> command,
                                                       std::uint32_t local_rank);

}  // namespace muster::plan
