// Leaves out what muster gave to a rank, and what belongs to one.
#include "cli/batch_environment.hpp"

#include <algorithm>

#include "plan/variable_owner.hpp"

namespace muster::cli {

std::vector<std::string> batch_environment(const Invocation& invocation) {
  std::vector<std::string> environment = invocation.environment;
  std::erase_if(environment, [&](const std::string& one) {
    const std::string name = one.substr(0, one.find('='));
    const bool is_given = std::ranges::binary_search(invocation.given, name);
    return is_given || plan::belongs(name) == plan::Belongs::to_rank;
  });
  return environment;
}

}  // namespace muster::cli
