// output_names: outputs whose paths name the run, or lie in a store of Azure ML.
#pragma once

#include <string>
#include <string_view>

#include "job/complaints.hpp"
#include "job/text.hpp"
#include "job/values.hpp"

namespace muster::job {

// What such a path may hold, as ${{name}} and ${{default_datastore}}. Source:
// https://learn.microsoft.com/azure/machine-learning/reference-yaml-core-syntax
struct OutputNames {
  std::string run;  // of a step: RUN.STEP
  std::string store = "workspaceblobstore";
};

// "azureml:blob", as settings name a store, is "blob".
[[nodiscard]] std::string store_of(std::string_view text);

// The path with them in place of these expressions; others stay.
[[nodiscard]] std::string with_names(std::string_view path, const OutputNames& names);

// The first expression in a path other than these, as written: "${{x}}". Empty if there is none.
[[nodiscard]] std::string other_expression(std::string_view path);

// The path of an output with its expressions filled in; one in a store becomes the path that `find`
// has for that store, and stays as it was if `find` has none. Complains about a store that leads to
// an address.
[[nodiscard]] Text led_output(Text path, const OutputNames& names, const FindData& find,
                              Complaints& complaints);

}  // namespace muster::job
