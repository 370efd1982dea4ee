// read_pipeline_request: a pipeline's file and the options beside it in, a request out, or all
// errors.
#pragma once

#include <string>

#include "base/error.hpp"
#include "front/front.hpp"
#include "front/job/known_names.hpp"
#include "front/job/options.hpp"
#include "job/read_pipeline.hpp"

namespace muster::front {

// A pipeline's text with the files of its components, which may be names.
[[nodiscard]] job::PipelineReading read_with_names(const Call& call, const std::string& file,
                                                   const std::string& text, KnownNames& names);

// `text` is that of the file.
[[nodiscard]] base::Result<Reading> read_pipeline_request(const Call& call, const JobDraft& draft,
                                                          const std::string& file,
                                                          const std::string& text);

}  // namespace muster::front
