// adopt: makes records of runs in a cluster that this machine does not know.
#pragma once

#include <string>

#include "base/error.hpp"
#include "cli/cli.hpp"
#include "front/request.hpp"

namespace muster::cli {

// `records`: the folder of all records. The runs in the request's cluster get the name of its
// target. Those that other users began are left out, and told of, unless `foreign` asks for them:
// then their records say whose they are (store/foreign.hpp).
//
// Who began a run is what its muster has said in its Secret: whoever may write Secrets in the
// namespace may say anything.
[[nodiscard]] base::Result<void> adopt(const std::string& records,
                                       const front::RecordRequest& request,
                                       const Invocation& invocation);

}  // namespace muster::cli
