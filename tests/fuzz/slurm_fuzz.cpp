// Any bytes as Slurm's list of nodes, as its counts, and as what scontrol tells: as many as are
// asked for, or one complaint, or nothing.
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "spec/slurm_devices.hpp"
#include "spec/slurm_words.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto nodes = muster::spec::read_slurm_nodes(text, "NODES")) {
    CHECK(!nodes->empty());
    for (const std::string& one : *nodes) CHECK(!one.empty() && one.find(',') == one.npos);
  } else {
    CHECK(nodes.error().what.find('\n') == std::string::npos);
  }
  constexpr std::size_t kNodes = 3;
  if (const auto counts = muster::spec::read_slurm_counts(text, kNodes, "COUNTS")) {
    CHECK(counts->size() == kNodes);
    for (const std::uint32_t one : *counts) CHECK(one > 0);
  }
  if (const auto counts = muster::spec::slurm_devices(text, {"a", "b"})) CHECK(counts->size() == 2);
  return 0;
}
