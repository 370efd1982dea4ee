// read_pipeline: a pipeline's file and those of its components in, a PipelineFile out, or
// everything that is wrong with them. Pure: a callback reads files.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "job/pipeline_file.hpp"

namespace muster::job {

inline constexpr std::size_t kComponentFilesMax = 1000;
inline constexpr std::size_t kPipelineDepthMax = 32;  // pipelines within each other

// The step of a sweep that is a file of its own.
inline constexpr std::string_view kLoneSweep = "sweep";

// Whether a file holds a pipeline or a sweep, whatever else is wrong with it: it has `jobs`, or
// says so.
[[nodiscard]] bool is_pipeline(std::string_view text);

// The text of the file at a path, which is relative if that of the pipeline is.
using ReadComponent = std::function<base::Result<std::string>(const std::string& path)>;

// The path of the file of a component that azureml:NAME means, or why there is none.
using FindComponent = std::function<base::Result<std::string>(const std::string& name)>;

struct PipelineReading {
  PipelineFile pipeline;                // worth nothing when there are complaints
  std::vector<base::Error> complaints;  // each with its place in the file that it is about
  std::vector<std::string> notices;     // keys that have no effect, one line each
};

// `source` is the file's path, used in places.
[[nodiscard]] PipelineReading read_pipeline(std::string_view text, const std::string& source,
                                            const ReadComponent& read,
                                            const FindComponent& find = {});

}  // namespace muster::job
