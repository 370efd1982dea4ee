// What several of mpirun's options do with their value: keep it.
#pragma once

#include "front/mpirun_draft.hpp"
#include "front/values.hpp"

namespace muster::front {

[[nodiscard]] inline base::Result<void> store_text(const Typed& typed, std::string& to) {
  return read_text(typed).map([&](std::string text) { to = std::move(text); });
}

[[nodiscard]] inline base::Result<void> store_folder(const MpirunDraft& draft, const Typed& typed,
                                                     std::string& to) {
  return read_text(typed).map([&](const std::string& text) { to = absolute(*draft.asked, text); });
}

[[nodiscard]] inline base::Result<void> set_stdin(const Typed& typed, model::StdinSpec& to) {
  return read_stdin_to(typed).map([&](model::StdinSpec input) { to = input; });
}

}  // namespace muster::front
