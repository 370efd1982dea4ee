// Reads YAML and complains of what is no map.
#include "job/read_map.hpp"

#include <fmt/format.h>

#include "job/yaml.hpp"

namespace muster::job {

SharedNode read_map(std::string_view text, const FileKind& kind, Complaints& complaints,
                    std::uint32_t file) {
  Document document = read_yaml(text, complaints.source(file), file);
  const bool has_first_key = kind.begins.ends_with(':');  // a job has many
  for (base::Error& one : document.complaints) {
    if (one.what == kEmptyFile && has_first_key)
      one.hint = fmt::format("it begins with {}", kind.begins);
  }
  complaints.add(std::move(document.complaints));
  if (!document.root || document.root->kind == Kind::map) return document.root;
  complaints.add(document.root->begin,
                 fmt::format("{} is a map, not {}", kind.what, word(document.root->kind)),
                 fmt::format("it begins with {}", kind.begins));
  return nullptr;
}

}  // namespace muster::job
