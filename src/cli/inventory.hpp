// The hosts of a job, each once, as far as they are known from here.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/inventory.hpp"
#include "model/job_spec.hpp"
#include "model/report.hpp"

namespace muster::cli {

// `same`: hosts of the list that have turned out to be one. `environment`: the launching shell's,
// whose limits of devices hold here.
[[nodiscard]] base::Result<model::Inventory> inventory_of(
    const model::JobSpec& spec, const std::vector<model::SameHost>& same,
    const std::vector<std::string>& environment);

}  // namespace muster::cli
