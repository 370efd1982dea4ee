// export_schedule: a schedule of Azure ML's in, a crontab or a CronJob out, or all errors.
#pragma once

#include <string>

#include "base/error.hpp"
#include "front/front.hpp"
#include "front/job/options.hpp"

namespace muster::front {

// `engine`: "crontab" or "kubernetes"; others cannot. `text`: of the schedule's file.
[[nodiscard]] base::Result<Reading> export_schedule(const Call& call, const JobDraft& draft,
                                                    const std::string& engine,
                                                    const std::string& file,
                                                    const std::string& text);

}  // namespace muster::front
