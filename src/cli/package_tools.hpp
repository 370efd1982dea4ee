// What makes environments of packages on this machine: conda and its kin, else Python itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cli/tool_call.hpp"
#include "job/conda.hpp"

namespace muster::cli {

struct PackageTool {
  std::string_view word;  // "conda" or "venv"
  std::string program;    // conda, mamba or micromamba; or a Python of the version that is wanted
  std::string identity;   // changes with what it makes
};

// The Python of the PATH, else the system's; empty: there is none.
[[nodiscard]] std::string python_program(const std::vector<std::string>& environment);

// Fault::cannot_start, with the packages that cannot be had here.
[[nodiscard]] base::Result<PackageTool> package_tool(const job::CondaPackages& packages,
                                                     const std::vector<std::string>& environment);

// `doing` hears what the tool says as it goes along.
[[nodiscard]] base::Result<void> fill_environment(const std::string& folder,
                                                  const job::CondaPackages& packages,
                                                  const PackageTool& tool,
                                                  const std::vector<std::string>& environment,
                                                  const Doing& doing);

}  // namespace muster::cli
