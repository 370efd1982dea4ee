// The hosts and devices of a DeepSpeed job: hostfile, --include, --exclude, --num_nodes,
// --num_gpus.
#pragma once

#include "base/error.hpp"
#include "front/deepspeed/draft.hpp"
#include "spec/host_form.hpp"

namespace muster::front {

inline constexpr spec::HostForm kDeepspeedHostForm = {.slots = spec::HostSlots::devices,
                                                      .each_once = true};

// Fills JobSpec::hosts, each with the devices that its ranks may see. Rules of deepspeed/launcher/
// runner.py: a line is "host slots=N", a host stands there once; NODE_SPEC[@NODE_SPEC...] with
// NODE_SPEC = NAME[:SLOT[,SLOT...]]; hosts keep the order of the file. Without a hostfile this
// machine's devices are taken, and CUDA_VISIBLE_DEVICES, or that of another maker, says which.
[[nodiscard]] base::Result<void> settle_deepspeed_hosts(DeepspeedDraft& draft);

}  // namespace muster::front
