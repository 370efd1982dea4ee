// read_map: the text of a YAML file that is one map. Pure.
#pragma once

#include <string_view>

#include "job/complaints.hpp"
#include "job/node.hpp"

namespace muster::job {

// What a file should be, for complaints: "a job file", and how it begins.
struct FileKind {
  std::string_view what;
  std::string_view begins;
};

// Null when the text is no YAML or something else than a map. `file`: its number in `complaints`.
[[nodiscard]] SharedNode read_map(std::string_view text, const FileKind& kind,
                                  Complaints& complaints, std::uint32_t file = 0);

}  // namespace muster::job
