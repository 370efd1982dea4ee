// Follows the kernel's lists of children.
#include "probe/family.hpp"

#include <fmt/format.h>
#include <sstream>

#include "probe/text_file.hpp"

namespace muster::probe {

std::vector<pid_t> family(const std::string& root, pid_t task) {
  constexpr std::size_t kProcessesMax = 64;
  std::vector<pid_t> processes{task};
  for (std::size_t i = 0; i < processes.size() && processes.size() < kProcessesMax; ++i) {
    const pid_t pid = processes[i];
    std::istringstream children(
        read_text(fmt::format("{}/proc/{}/task/{}/children", root, pid, pid)));
    for (pid_t child = 0; children >> child;) processes.push_back(child);
  }
  return processes;
}

}  // namespace muster::probe
