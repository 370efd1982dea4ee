// What a record says of a run that a scheduler shall carry out, before the scheduler knows of it.
#pragma once

#include "front/front.hpp"
#include "model/record.hpp"

namespace muster::cli {

// Of the pipeline, or of the request, which has one.
[[nodiscard]] const front::Recording& recording_in(const front::Reading& reading);

// Created now, by this process. All but its hosts: whether they are known depends on the scheduler.
[[nodiscard]] model::RunRecord scheduled_record(const front::Reading& reading,
                                                model::Scheduler scheduler);

}  // namespace muster::cli
