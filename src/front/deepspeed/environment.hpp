// The variables that DeepSpeed's launcher gives to the ranks of several nodes.
#pragma once

#include "base/error.hpp"
#include "front/deepspeed/draft.hpp"

namespace muster::front {

// NAME=VALUE lines of .deepspeed_env in the home and the current folder, or of the file that
// DS_ENV_FILE names; and PYTHONPATH, with the current folder in front. Rules of deepspeed/launcher/
// multinode_runner.py and launch.py: blanks around both parts go, a shell expands the value, and
// what each rank has of its own stays its own (told).
[[nodiscard]] base::Result<void> settle_deepspeed_environment(DeepspeedDraft& draft);

}  // namespace muster::front
