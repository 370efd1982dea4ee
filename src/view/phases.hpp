// Phases: when a run reached what, gathered from its events, for --verbose.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "model/run_event.hpp"

namespace muster::view {

class Phases {
 public:
  // Of a restarted run, the first start and the last of all else counts.
  void hear(const model::RunEvent& event);
  // "greeted 0.041 s, prepared 0.042 s, started 0.050 s, ended 1.203 s", as far as it came.
  [[nodiscard]] std::string words() const;

 private:
  std::array<std::optional<base::Duration>, 4> after_;  // index: model::Phase
};

}  // namespace muster::view
