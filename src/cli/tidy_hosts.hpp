// muster gc on other hosts: an errand to each removes what earlier ones have left there.
#pragma once

#include <string>

#include "cli/cli.hpp"
#include "model/job_spec.hpp"
#include "view/collection.hpp"

namespace muster::cli {

// Adds what went on the hosts of `reach`, and which of them could not be asked, to `done`.
void tidy_hosts(const std::string& records, const model::JobSpec& reach,
                const Invocation& invocation, view::Collection& done);

}  // namespace muster::cli
