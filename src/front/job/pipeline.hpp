// read_pipeline_request: a pipeline's file and the options beside it in, a request out, or all
// errors.
#pragma once

#include <string>

#include "base/error.hpp"
#include "front/front.hpp"
#include "front/job/options.hpp"

namespace muster::front {

// `text` is that of the file.
[[nodiscard]] base::Result<Reading> read_pipeline_request(const Call& call, const JobDraft& draft,
                                                          const std::string& file,
                                                          const std::string& text);

}  // namespace muster::front
