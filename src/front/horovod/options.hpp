// The options of horovodrun.
#pragma once

#include <span>

#include "front/horovod/draft.hpp"
#include "front/table.hpp"

namespace muster::front {

[[nodiscard]] std::span<const Option<HorovodDraft>> horovod_table();
[[nodiscard]] OptionTexts horovod_options();

}  // namespace muster::front
