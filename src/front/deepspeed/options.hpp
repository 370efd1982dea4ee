// The options of DeepSpeed's launcher.
#pragma once

#include <span>

#include "front/deepspeed/draft.hpp"
#include "front/table.hpp"

namespace muster::front {

[[nodiscard]] std::span<const Option<DeepspeedDraft>> deepspeed_table();
[[nodiscard]] OptionTexts deepspeed_options();

}  // namespace muster::front
