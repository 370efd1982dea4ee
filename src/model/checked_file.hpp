// CheckedFile: what a job file declares, for programs that call it with values.
#pragma once

#include <string>
#include <vector>

namespace muster::model {

struct DeclaredInput {
  std::string name;
  bool is_required = false;  // it has no value of its own, and may not go without
  bool operator==(const DeclaredInput&) const = default;
};

struct CheckedFile {
  std::string path;  // as it was typed
  std::vector<DeclaredInput> inputs;
  std::vector<std::string> outputs;
  bool operator==(const CheckedFile&) const = default;
};

}  // namespace muster::model
