// Environments of packages on a host, each kept in its cache by what it is made of.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "blobs/cache.hpp"
#include "cli/cli.hpp"

namespace muster::cli {

// Errand `packages`: makes the environment that stdin asks for (job::conda_text) unless it is
// there, and answers "conda FOLDER" or "venv FOLDER". Returns the exit code.
[[nodiscard]] int make_environment(const Invocation& invocation);

// Removes the environments that were used longest ago until the others take no more than that, and
// what was never finished; none that a process uses, or that was used within `spared`.
[[nodiscard]] blobs::Trimmed trim_environments(const std::string& cache, std::uint64_t budget,
                                               std::chrono::seconds spared, bool really = true);

// Of environments, on each host.
inline constexpr std::chrono::seconds kEnvironmentsStay = std::chrono::hours(24);

}  // namespace muster::cli
