// A run's socket and folder go with it, so what is there is of a run that is.
#include "cli/left_variables.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/variables.hpp"
#include "front/inherited.hpp"
#include "model/head_above.hpp"
#include "process/ownership.hpp"
#include "spec/sources.hpp"

namespace muster::cli {
namespace {

// What is about the run as a whole, and names nothing that could be looked at.
constexpr std::array kSaidToLaunchers = {front::kLaunchers, front::kOutputFolders,
                                         front::kFakeHosts, spec::kStartsRanks,
                                         std::string_view("MUSTER_DEADLINE")};

void drop(std::vector<std::string>& environment, std::string_view name) {
  std::erase_if(environment, [&](const std::string& entry) {
    return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
  });
}

}  // namespace

void drop_left_variables(std::vector<std::string>& environment) {
  const std::string head = base::value_of(environment, model::kHeadAbove);
  if (!head.empty() && !process::is_own_socket(head)) drop(environment, model::kHeadAbove);
  const std::string launchers = base::value_of(environment, front::kLaunchers);
  if (launchers.empty() || process::is_own_folder(launchers)) return;
  for (const std::string_view name : kSaidToLaunchers) drop(environment, name);
}

}  // namespace muster::cli
