// Only names need the name service, and so the helper.
#include "probe/resolve.hpp"

#include <sstream>

#include "probe/addresses.hpp"
#include "process/helper_program.hpp"

namespace muster::probe {

base::Result<std::vector<std::string>> resolve(const std::string& name) {
  if (!name.starts_with('[') && Address::parse(name)) return std::vector{name};
  return process::ask_helper({"addresses", name}).map([](const std::string& text) {
    std::vector<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) found.push_back(std::move(line));
    return found;
  });
}

}  // namespace muster::probe
