// The commands that take a job file: submit, explain, validate, export; and the schema of such
// files.
#pragma once

#include "base/error.hpp"
#include "front/front.hpp"

namespace muster::front {

[[nodiscard]] base::Result<Reading> read_submit(const Call& call);
[[nodiscard]] base::Result<Reading> read_explain(const Call& call);
[[nodiscard]] base::Result<Reading> read_validate(const Call& call);
[[nodiscard]] base::Result<Reading> read_schema(const Call& call);
[[nodiscard]] base::Result<Reading> read_export(const Call& call);

// What those hear who want the outcome of a job that they watch as JSON.
[[nodiscard]] base::Error json_needs_detach();

[[nodiscard]] OptionTexts submit_options();
[[nodiscard]] OptionTexts explain_options();
[[nodiscard]] OptionTexts validate_options();
[[nodiscard]] OptionTexts schema_options();
[[nodiscard]] OptionTexts export_options();

}  // namespace muster::front
