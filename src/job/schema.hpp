// schema: the JSON Schema of job files, made from the tables that read them.
#pragma once

#include <string>

namespace muster::job {

// Draft 7; any of the dialects. It knows keys and forms; what lies between keys, only check() does.
[[nodiscard]] std::string schema();

}  // namespace muster::job
