// read_yaml: the text of a YAML file in, its pieces and all complaints out. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "job/node.hpp"

namespace muster::job {

inline constexpr std::size_t kFileMax = std::size_t{1} << 20;  // bytes of a job file
inline constexpr std::size_t kDepthMax = 64;                   // maps and lists within each other
// Bytes of all pieces with every alias written out, each piece counted as 16 more.
inline constexpr std::size_t kExpandedMax = std::size_t{4} << 20;

// The complaint about a file that holds nothing.
inline constexpr std::string_view kEmptyFile = "the file is empty";

struct Document {
  SharedNode root;  // null when the text is no YAML
  std::vector<base::Error> complaints;
};

// Refused beside what is no YAML at all: a key that is there twice, keys that are no text, tags
// other than !!str, a second document, an empty file, files, depths and aliases beyond the limits.
// `<<` merges maps. `name` is the file's path, used in places; `file` its number, in all marks.
[[nodiscard]] Document read_yaml(std::string_view text, const std::string& name,
                                 std::uint32_t file = 0);

}  // namespace muster::job
