// What all ranks of an app have in their environment, before each is given its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "machine/host_orders.hpp"

namespace muster::host {

struct ProgramGround {
  const machine::AppOrder& app;
  const model::EnvironmentRule& rule;
  const std::vector<std::string>& agents_own;  // "NAME=VALUE"
  std::string hostfile;                        // path of the file with the job's hosts
  std::string launchers;                       // folder that comes first on PATH; or empty
  std::string head_above;                      // socket for launchers in the rank; or empty
};

struct ProgramEnvironment {
  std::map<std::string, std::string> variables;
  std::string path;  // where the program is looked for: PATH, or what stands for it
};

[[nodiscard]] ProgramEnvironment program_environment(const ProgramGround& ground);

// "NAME=VALUE".
[[nodiscard]] std::string entry(std::string_view name, std::string_view value);

}  // namespace muster::host
