// The commands for runs that are on record: ps, show, logs, wait, stop, report, graph, rm, gc,
// rerun, reindex.
#pragma once

#include "base/error.hpp"
#include "front/front.hpp"

namespace muster::front {

template <RecordVerb verb>
[[nodiscard]] base::Result<Reading> read_record(const Call& call);

template <RecordVerb verb>
[[nodiscard]] OptionTexts record_options();

}  // namespace muster::front
