// The times of a run's phases, from its events.
#include "view/phases.hpp"

#include <fmt/format.h>
#include <string_view>

namespace muster::view {

void Phases::hear(const model::RunEvent& event) {
  const auto* reached = std::get_if<model::PhaseReached>(&event);
  if (reached == nullptr) return;
  auto& after = after_[static_cast<std::size_t>(reached->phase)];
  if (reached->phase != model::Phase::started || !after) after = reached->after;
}

std::string Phases::words() const {
  constexpr std::array<std::string_view, 4> kNames{"greeted", "prepared", "started", "ended"};
  std::string text;
  for (std::size_t i = 0; i < after_.size(); ++i) {
    if (!after_[i]) continue;
    text += fmt::format("{}{} {:.3f} s", text.empty() ? "" : ", ", kNames[i],
                        static_cast<double>(after_[i]->count()) / 1000.0);
  }
  return text;
}

}  // namespace muster::view
