// Looks at what surrounds a command line.
#include "front/call.hpp"

#include <algorithm>

namespace muster::front {

std::optional<std::string_view> variable(const Call& call, std::string_view name) {
  for (const std::string& entry : call.environment) {
    const std::string_view text(entry);
    if (text.size() > name.size() && text.starts_with(name) && text[name.size()] == '=') {
      return text.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

std::string home_of(const Call& call) { return std::string(variable(call, "HOME").value_or("")); }

std::string run_of(const Call& call) {
  if (call.record_folder.empty()) return "run";
  return call.record_folder.substr(call.record_folder.rfind('/') + 1);
}

bool is_given(const Call& call, std::string_view name) {
  return std::ranges::binary_search(call.given, name);
}

std::string absolute(const Call& call, std::string_view path) {
  if (path.starts_with('/')) return std::string(path);
  if (path == ".") return call.current_folder;
  return call.current_folder + "/" + std::string(path);
}

std::vector<std::span<const std::string>> blocks_of(std::span<const std::string> words) {
  std::vector<std::span<const std::string>> blocks;
  std::size_t start = 0;
  for (std::size_t at = 0; at <= words.size(); ++at) {
    if (at < words.size() && words[at] != ":") continue;
    blocks.push_back(words.subspan(start, at - start));
    start = at + 1;
  }
  return blocks;
}

void add_once(std::vector<std::string>& lines, std::string line) {
  if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
}

}  // namespace muster::front
