// The communicators of a Horovod job, by the names under which their ranks meet. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/plan.hpp"

namespace muster::plan {

// How many ranks meet under "global", "local_HOST" and "cross_LOCALRANK"
// (horovod/runner/http/http_server.py and horovod/common/gloo/gloo_context.cc).
[[nodiscard]] std::map<std::string, std::uint32_t> gloo_scopes(const model::Plan& plan);

}  // namespace muster::plan
