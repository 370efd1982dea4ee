// What else is laid into the record of a run before its ranks start: links to inputs that lie
// elsewhere, and the checkpoints that it goes on from.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "front/request.hpp"

namespace muster::cli {

// Fault::bad_file for an input that is not there.
[[nodiscard]] base::Result<void> link_inputs(const std::vector<front::DataPath>& data);

// Makes the folder. Those of the earlier run are moved there, and a link to them stays where they
// were: a run of which several reruns are made has one line of checkpoints, that of the latest.
// Fault::usage while another run writes to them.
[[nodiscard]] base::Result<void> ready_checkpoints(const front::Checkpoints& checkpoints);

// A job that its scheduler has queued again goes on from the run that the same command line started
// in it before: that one's record. From now on it is this one. Empty: there is none.
[[nodiscard]] std::string queued_before(const front::Recording& record,
                                        const std::vector<std::string>& environment);

// Of the runs from which this pipeline goes on, the latest whose step has checkpoints: that step's
// record; empty: none has.
[[nodiscard]] std::string earlier_checkpoints(const std::string& pipeline, const std::string& step);

}  // namespace muster::cli
