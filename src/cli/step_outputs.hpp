// What a step of a pipeline has to have written before later ones go on from it.
#pragma once

#include <map>
#include <string>

#include "base/error.hpp"
#include "front/pipeline_request.hpp"

namespace muster::cli {

// Of the outputs that conditions ask for. Fault::bad_file where one holds no word of that kind,
// where a file that later steps read is not in the pipeline's record, or where a fifo, a socket or
// a device is in the place of an output.
[[nodiscard]] base::Result<std::map<std::string, bool>> what_it_says(
    const std::string& record, const front::StepRequest& step);

}  // namespace muster::cli
