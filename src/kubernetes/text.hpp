// Objects as text: YAML for people, JSON where that is asked for. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "kubernetes/value.hpp"

namespace muster::kubernetes {

// One document after another, each after "---" except the first, in block style; texts are quoted
// where they would be read as something else. Fails for text that is no UTF-8.
[[nodiscard]] base::Result<std::string> to_yaml(const std::vector<Value>& documents);

// With two blanks for each level, and a newline at the end.
[[nodiscard]] std::string to_json(const Value& value);

// Whether YAML 1.1 or 1.2 would read such text without quotes as something else than text.
[[nodiscard]] bool needs_quotes(std::string_view text);

}  // namespace muster::kubernetes
