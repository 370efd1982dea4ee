// Small questions that all parts of mpirun's reader ask.
#include "front/mpirun_draft.hpp"

#include <algorithm>

namespace muster::front {

void notice(MpirunDraft& draft, std::string text) {
  if (std::ranges::find(draft.notices, text) != draft.notices.end()) return;
  draft.notices.push_back(std::move(text));
}

std::optional<std::string_view> variable(const Asked& asked, std::string_view name) {
  for (const std::string& entry : asked.environment) {
    const std::string_view text(entry);
    if (text.size() > name.size() && text.starts_with(name) && text[name.size()] == '=') {
      return text.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

std::string absolute(const Asked& asked, std::string_view path) {
  if (path.starts_with('/')) return std::string(path);
  if (path == ".") return asked.current_folder;
  return asked.current_folder + "/" + std::string(path);
}

}  // namespace muster::front
