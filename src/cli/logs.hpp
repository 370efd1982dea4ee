// logs: prints what the ranks of a run wrote, as far as it has come or until the run ends.
#pragma once

#include "front/request.hpp"
#include "model/record.hpp"

namespace muster::cli {

[[nodiscard]] int logs(const model::RunRecord& record, const front::RecordRequest& request);

}  // namespace muster::cli
