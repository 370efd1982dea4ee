// Source: a file's text, to find places in it.
#pragma once

#include <cstddef>
#include <string_view>

#include "job/job_file.hpp"

namespace muster::job {

// Where a part of a value stands in the file: a folded text has lost its lines. The value's own
// place when it is not there as it is. `before`: how often the same stands before it in the value.
[[nodiscard]] Mark mark_of_part(std::string_view source, const Text& value, std::string_view part,
                                std::size_t before = 0);

}  // namespace muster::job
