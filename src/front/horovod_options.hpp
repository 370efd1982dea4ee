// The options of horovodrun.
#pragma once

#include <span>

#include "front/horovod_draft.hpp"
#include "front/option.hpp"

namespace muster::front {

[[nodiscard]] std::span<const Option<HorovodDraft>> horovod_table();
[[nodiscard]] OptionTexts horovod_options();

}  // namespace muster::front
