// Checkpoints in the record of a run: what it goes on from.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "front/request.hpp"

namespace muster::cli {

// Makes the folder. Those of the earlier run are moved there, and a link to them stays where they
// were: a run of which several reruns are made has one line of checkpoints, that of the latest. A
// link of the user's to another place is taken over as one. Fault::usage while another run writes
// to them, and when they are gone.
[[nodiscard]] base::Result<void> ready_checkpoints(const front::Checkpoints& checkpoints);

// A job that its scheduler has queued again goes on from the run that the same command line started
// in it before, or the same step of a pipeline: that one's record. The first with the same words
// goes on from the first, the second from the second. Empty: there is none.
[[nodiscard]] std::string queued_before(const front::Recording& record,
                                        const std::vector<std::string>& environment);

// Of the runs from which this pipeline goes on, the latest whose step has checkpoints: that step's
// record; empty: none has.
[[nodiscard]] std::string earlier_checkpoints(const std::string& pipeline, const std::string& step);

}  // namespace muster::cli
