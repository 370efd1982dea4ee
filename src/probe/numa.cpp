// Reads /sys/devices/system/node.
#include "probe/numa.hpp"

#include <fmt/format.h>

#include "probe/text_file.hpp"

namespace muster::probe {
namespace {

// "0-3,8\n", "\n".
model::CpuSet listed_in(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \t\n") + 1;
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), end);
  return model::parse_cpu_set(std::string_view(text).substr(begin, end - begin))
      .value_or(model::CpuSet());
}

// What a cgroup leaves to this process; nothing where the kernel does not tell.
model::CpuSet allowed_nodes(const std::string& root) {
  constexpr std::string_view kName = "Mems_allowed_list:";
  const std::string status = read_text(root + "/proc/self/status");
  const std::size_t at = status.find(kName);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + kName.size();
  return listed_in(status.substr(begin, status.find('\n', begin) - begin));
}

std::string nodes_folder(const std::string& root) { return root + "/sys/devices/system/node"; }

std::vector<model::NumaNode> nodes_of(const std::string& root, const model::CpuSet& numbers) {
  std::vector<model::NumaNode> nodes;
  for (const std::uint32_t number : numbers.list()) {
    const std::string text =
        read_text(fmt::format("{}/node{}/cpulist", nodes_folder(root), number));
    nodes.push_back({number, listed_in(text)});
  }
  return nodes;
}

}  // namespace

std::vector<model::NumaNode> numa_nodes(const std::string& root) {
  model::CpuSet numbers = listed_in(read_text(nodes_folder(root) + "/has_memory"));
  const model::CpuSet allowed = allowed_nodes(root);
  if (!allowed.empty()) numbers &= allowed;
  return nodes_of(root, numbers);
}

std::vector<model::NumaNode> nodes_with_cpus(const std::string& root) {
  std::vector<model::NumaNode> nodes =
      nodes_of(root, listed_in(read_text(nodes_folder(root) + "/online")));
  std::erase_if(nodes, [](const model::NumaNode& node) { return node.cpus.empty(); });
  return nodes;
}

}  // namespace muster::probe
