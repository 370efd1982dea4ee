// Reads which variables ranks are not given: names, and dialects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace muster::spec {

// "NAME", or "NAME*" for all that begin so. Fault::usage, without the name of the option or key,
// for what is no name and for what ranks need: PMI_*, PMIX_*, MUSTER_*.
[[nodiscard]] base::Result<std::string> read_unset(std::string_view text);

// "torch,mpich": these and no others; "^jax,mlflow": all but these; "all"; "none". Gives those that
// are left out, by their names in model::kDialects; Fault::usage likewise.
[[nodiscard]] base::Result<std::vector<std::string>> read_dialects(std::string_view text);

}  // namespace muster::spec
