// read_job_map: the map of a file of jobs, with the keys that people write. Pure.
#pragma once

#include "job/read_map.hpp"

namespace muster::job {

// As read_map, where what Azure ML's SDKs have saved looks as if somebody had typed it.
[[nodiscard]] SharedNode read_job_map(std::string_view text, const FileKind& kind,
                                      Complaints& complaints, std::uint32_t file = 0);

}  // namespace muster::job
