// CheckedFile: what a job file declares, for programs that call it with values.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace muster::model {

struct DeclaredInput {
  std::string name;
  bool is_required = false;  // it has no value of its own, and may not go without
  bool operator==(const DeclaredInput&) const = default;
};

// What a target says of the job.
struct AskedOfTarget {
  std::string about;            // access, quota, storage, ...
  std::optional<bool> is_fine;  // nothing: it could not be asked
  std::string what;
  std::string hint;
  bool operator==(const AskedOfTarget&) const = default;
};

struct CheckedFile {
  std::string path;  // as it was typed
  std::vector<DeclaredInput> inputs;
  std::vector<std::string> outputs;
  std::string target = {};  // empty: only the file was checked
  std::vector<AskedOfTarget> asked = {};
  std::string run_configuration = {};  // of SDK v1: its keys as JSON; empty: it is none
  bool has_artifacts = false;          // undeclared: the folder in which it runs
  bool operator==(const CheckedFile&) const = default;
};

}  // namespace muster::model
