// Levels of hardware in the words of launchers. Words are in small letters.
#pragma once

#include <optional>
#include <string_view>

#include "model/mapping.hpp"

namespace muster::front {

// As Open MPI's --map-by takes it: "c" is a core.
[[nodiscard]] std::optional<model::Level> level_by_prefix(std::string_view word);

// In full, as --bind-to takes it.
[[nodiscard]] std::optional<model::Level> level_in_full(std::string_view word);

// Hydra's words: the same in full, and more names for caches and for the machine.
[[nodiscard]] std::optional<model::Level> hydra_level(std::string_view word);

}  // namespace muster::front
