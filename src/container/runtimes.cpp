// The table of runtimes.
#include "container/runtimes.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace muster::container {
namespace {

using model::ContainerRuntime;

struct RuntimeRow {
  ContainerRuntime runtime;
  std::string_view name;
  std::array<std::string_view, 2> programs;
  std::string_view trial;  // "{}" is the image
};

constexpr std::array kRuntimes = {
    RuntimeRow{ContainerRuntime::podman, "podman", {"podman", ""}, "podman run --rm {} true"},
    RuntimeRow{ContainerRuntime::docker, "docker", {"docker", ""}, "docker run --rm {} true"},
    RuntimeRow{ContainerRuntime::apptainer,
               "apptainer",
               {"apptainer", "singularity"},
               "apptainer exec {} true"},
    RuntimeRow{ContainerRuntime::enroot, "enroot", {"enroot", ""}, "enroot start {} true"},
    RuntimeRow{
        ContainerRuntime::charliecloud, "charliecloud", {"ch-run", ""}, "ch-run {} -- true"}};

const RuntimeRow& row_of(ContainerRuntime runtime) {
  return *std::ranges::find(kRuntimes, runtime, &RuntimeRow::runtime);
}

}  // namespace

std::string_view name_of(ContainerRuntime runtime) { return row_of(runtime).name; }

std::vector<std::string> programs_of(ContainerRuntime runtime) {
  std::vector<std::string> programs;
  for (const std::string_view program : row_of(runtime).programs) {
    if (!program.empty()) programs.emplace_back(program);
  }
  return programs;
}

std::string trial_of(ContainerRuntime runtime, const std::string& image) {
  return fmt::format(fmt::runtime(row_of(runtime).trial), image);
}

const std::vector<ContainerRuntime>& all_runtimes() {
  static const std::vector<ContainerRuntime> all = [] {
    std::vector<ContainerRuntime> runtimes;
    runtimes.reserve(std::size(kRuntimes));
    for (const RuntimeRow& row : kRuntimes) runtimes.push_back(row.runtime);
    return runtimes;
  }();
  return all;
}

}  // namespace muster::container
