// Roles: what the programs of a job are called to TensorFlow or MindSpore, and which of them serve.
#pragma once

#include "base/error.hpp"
#include "model/job_spec.hpp"

namespace muster::spec {

// Reads App::role of every program, which front ends have filled; sets JobSpec::roles and
// App::serves. Fault::usage for a role that neither framework has, for roles of both, for two
// chiefs, and for more ranks than the variables can name.
//
// Parameter servers wait for requests for ever, and so do workers that a chief directs in such a
// job (tf.distribute.experimental.ParameterServerStrategy): they serve.
[[nodiscard]] base::Result<void> settle_roles(model::JobSpec& spec);

}  // namespace muster::spec
