// Where ranks' memory comes from, in the words of --mem-bind.
#pragma once

#include <string_view>

#include "base/error.hpp"
#include "front/table.hpp"
#include "model/memory_policy.hpp"

namespace muster::front {

// Its row in a table of options.
[[nodiscard]] constexpr OptionText mem_bind_text(std::string_view group) {
  return {"--mem-bind",
          group,
          Takes::choice,
          "WHERE[:HOW]",
          "Where each rank's memory comes from: none (as Linux does it), local (the NUMA node of "
          "the core that asks), interleave[:LIST] (NUMA nodes in turn) or bind:LIST (these alone). "
          "HOW: if-supported.",
          {.choices = "none local interleave bind:0"}};
}

// none, local, interleave, interleave:LIST or bind:LIST, and behind it :if-supported; words in
// full, in any case. Fault::usage.
[[nodiscard]] base::Result<model::MemoryWish> read_memory(const Typed& typed);

// "0-1,3": numbers of NUMA nodes. Fault::usage names the option.
[[nodiscard]] base::Result<model::CpuSet> read_numa_nodes(const Typed& typed,
                                                          std::string_view list);

}  // namespace muster::front
