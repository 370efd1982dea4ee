// The options of torchrun and of torch.distributed.launch.
#pragma once

#include <span>

#include "front/table.hpp"
#include "front/torch/draft.hpp"

namespace muster::front {

[[nodiscard]] std::span<const Option<TorchDraft>> torchrun_table();
[[nodiscard]] std::span<const Option<TorchDraft>> launch_table();  // also --use-env
[[nodiscard]] OptionTexts torchrun_options();
[[nodiscard]] OptionTexts launch_options();

}  // namespace muster::front
