// The variables that DeepSpeed's launcher gives to the ranks of several nodes.
#pragma once

#include "base/error.hpp"
#include "front/deepspeed/draft.hpp"

namespace muster::front {

// NAME=VALUE lines of .deepspeed_env in the home and the current folder, or of the file that
// DS_ENV_FILE names; and PYTHONPATH, with the current folder in front.
[[nodiscard]] base::Result<void> settle_deepspeed_environment(DeepspeedDraft& draft);

}  // namespace muster::front
