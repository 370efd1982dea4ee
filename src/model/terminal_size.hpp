// TerminalSize: how much a program believes that its terminal shows.
#pragma once

#include <cstdint>

namespace muster::model {

struct TerminalSize {
  std::uint16_t columns = 80;
  std::uint16_t rows = 24;
  bool operator==(const TerminalSize&) const = default;
};

}  // namespace muster::model
