// The options of DeepSpeed's launcher.
#pragma once

#include <span>

#include "front/deepspeed_draft.hpp"
#include "front/option.hpp"

namespace muster::front {

[[nodiscard]] std::span<const Option<DeepspeedDraft>> deepspeed_table();
[[nodiscard]] OptionTexts deepspeed_options();

}  // namespace muster::front
