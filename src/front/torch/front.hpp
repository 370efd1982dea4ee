// muster as torchrun and as torch.distributed.launch: command lines of PyTorch's launchers.
#pragma once

#include "front/front.hpp"

namespace muster::front {

// PET_NNODES and the like in `asked.environment` are weaker than the line (pytorch 1.13 and 2.x,
// torch/distributed/run.py, argparse_util.py).
[[nodiscard]] base::Result<Reading> read_torchrun(const Call& call);

// Without --use-env each script gets --local_rank=N as its first word (torch/distributed/launch.py,
// 1.13).
[[nodiscard]] base::Result<Reading> read_launch(const Call& call);

}  // namespace muster::front
