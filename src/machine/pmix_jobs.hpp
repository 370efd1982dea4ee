// The worlds of a run as PMIx servers know them. Pure.
#pragma once

#include <string>
#include <vector>

#include "model/job_spec.hpp"
#include "model/plan.hpp"
#include "wire/pmix.hpp"

namespace muster::machine {

namespace pmix = wire::pmix;

// Index: app.
[[nodiscard]] std::vector<pmix::JobApp> pmix_apps(const std::vector<model::App>& apps,
                                                  const std::vector<model::PlannedRank>& ranks);

// The job as it was started. Head and agents make it alike.
[[nodiscard]] pmix::Job first_job(const model::Plan& plan, const std::vector<model::App>& apps,
                                  std::string nspace);

}  // namespace muster::machine
