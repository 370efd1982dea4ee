// The files by which drivers of accelerators show what they drive; for probe itself.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::probe {

// Those in a folder, without the hidden ones; none where it cannot be read.
[[nodiscard]] std::vector<std::string> names_in(const std::string& path);

// "nvidia0" and "nvidia12" for "nvidia", not "nvidiactl".
[[nodiscard]] bool is_numbered(std::string_view name, std::string_view stem);

// What stands behind a label in a text of lines; empty: there is no such line.
[[nodiscard]] std::string said_of(std::string_view text, std::string_view label);

// Where drivers make their files; /dev is long, and read once.
struct DriverFiles {
  std::string root;
  std::vector<std::string> dev = names_in(root + "/dev");

  // "davinci2", "davinci10": by number.
  [[nodiscard]] std::vector<std::string> numbered(std::string_view stem) const;
  [[nodiscard]] std::size_t count(std::string_view stem) const { return numbered(stem).size(); }
};

// The texts about AMD's GPUs that this process may use, in the order of their nodes, which is how
// ROCr numbers them. Processors are nodes, too, with gpu_id 0; of a GPU that its control group
// keeps from a process the kernel does not tell the gpu_id.
[[nodiscard]] std::vector<std::string> amd_nodes(const DriverFiles& files);

// "renderD128": those of Intel's GPUs, by number.
[[nodiscard]] std::vector<std::string> intel_renderers(const DriverFiles& files);

}  // namespace muster::probe
