// The words in which Slurm tells a job's nodes, and a count for each of them; Flux's lists of hosts
// differ in little. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace muster::spec {

// How many digits a number in brackets has: as its own range's begin, or, where the first number of
// the brackets has leading zeros, as that one (Flux's RFC 29).
enum class Widths : std::uint8_t { of_each, of_first };

// Nothing: it is no hostlist, or too long a one. Bounds: 16 MiB, 1,000,000 names.
[[nodiscard]] std::optional<std::vector<std::string>> names_in_hostlist(std::string_view text,
                                                                        Widths widths);

// Whether it would be a hostlist, but for its more than 1,000,000 names.
[[nodiscard]] bool has_too_many_names(std::string_view text);

// "n[008-010,12],login" or "r[1-2]n[1-2]x" (several groups multiply, the leftmost slowest), as in
// SLURM_JOB_NODELIST; the width of a range's begin is that of its numbers. Slurm:
// src/common/hostlist.c. `name` is the variable's, for complaints. Bounds: 16 MiB, 1,000,000 names.
[[nodiscard]] base::Result<std::vector<std::string>> read_slurm_nodes(std::string_view text,
                                                                      std::string_view name);

// "4(x3),2" is 4 4 4 2, as in SLURM_TASKS_PER_NODE; a count for each of so many nodes. Counts for
// further nodes are left out: Slurm writes 4(x30) for one node of 30. Too few are a complaint.
[[nodiscard]] base::Result<std::vector<std::uint32_t>> read_slurm_counts(std::string_view text,
                                                                         std::size_t nodes,
                                                                         std::string_view name);

}  // namespace muster::spec
