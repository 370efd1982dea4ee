// Reads lines of /proc/PID/cgroup: "hierarchy:controllers:path".
#include "process/control_group.hpp"

#include <algorithm>

namespace muster::process {
namespace {

// "cpu" in "cpu,cpuacct", but not in "cpuset".
bool lists(std::string_view controllers, std::string_view one) {
  const std::string all = "," + std::string(controllers) + ",";
  return all.find("," + std::string(one) + ",") != std::string::npos;
}

void add_line(std::vector<std::string>& folders, std::string_view line, std::string_view controller,
              std::string mount) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first == std::string_view::npos ? first : first + 1);
  if (second == std::string_view::npos || line.substr(second + 1, 1) != "/") return;
  const std::string_view controllers = line.substr(first + 1, second - first - 1);
  // Version 2 names none. In version 1 each hierarchy is mounted under its controller's name.
  if (!controllers.empty()) {
    if (!lists(controllers, controller)) return;
    mount.append("/").append(controller);
  }
  for (std::string path(line.substr(second + 1)); path.size() > 1; path.resize(path.rfind('/'))) {
    folders.push_back(mount + path);
  }
  folders.push_back(std::move(mount));
}

}  // namespace

std::vector<std::string> group_folders(std::string_view membership, std::string_view controller,
                                       const std::string& mounts) {
  std::vector<std::string> folders;
  while (!membership.empty()) {
    const std::size_t end = std::min(membership.find('\n'), membership.size());
    add_line(folders, membership.substr(0, end), controller, mounts);
    membership.remove_prefix(std::min(end + 1, membership.size()));
  }
  return folders;
}

}  // namespace muster::process
