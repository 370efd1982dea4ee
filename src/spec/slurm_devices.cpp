// Line after line, node after node.
#include "spec/slurm_devices.hpp"

#include <charconv>
#include <unordered_map>

#include "base/words.hpp"
#include "spec/slurm_words.hpp"

namespace muster::spec {
namespace {

constexpr std::uint32_t kDevicesMax = 1 << 16;  // of one node; more is no number of GPUs

// What stands after NAME=, up to a blank.
std::string_view value_of(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + name.size());
  return rest.substr(0, rest.find(' '));
}

// Of "gpu:2(IDX:0-1)" or "gpu:a100:2": one kind of resource.
std::uint32_t gpus_of(std::string_view text) {
  text = text.substr(0, text.find('('));
  if (!text.starts_with("gpu:")) return 0;
  text = text.substr(text.rfind(':') + 1);
  std::uint32_t count = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole && count <= kDevicesMax ? count : 0;
}

// A comma within brackets is one of the numbers of devices, which no kind begins like.
std::uint32_t gpus_in(std::string_view resources) {
  std::uint32_t count = 0;
  for (const std::string& one : base::split(resources, ",")) count += gpus_of(one);
  return count;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> slurm_devices(std::string_view said,
                                                        const std::vector<std::string>& names) {
  std::unordered_map<std::string, std::uint32_t> found;
  for (const std::string& line : base::split(said, "\n")) {
    const std::uint32_t count = gpus_in(value_of(line, "GRES="));
    const auto nodes = read_slurm_nodes(value_of(line, " Nodes="), "Nodes");
    if (count == 0 || !nodes) continue;
    for (const std::string& node : *nodes) found[node] = count;
  }
  std::vector<std::uint32_t> counts;
  for (const std::string& name : names) {
    const auto at = found.find(name);
    if (at == found.end()) return std::nullopt;
    counts.push_back(at->second);
  }
  return counts;
}

}  // namespace muster::spec
