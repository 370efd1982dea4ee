// Bundle: the files that a run needs elsewhere, in one file: those that were read to make it (the
// job file, its components), its code, and its data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/record.hpp"
#include "process/unique_fd.hpp"
#include "snapshot/manifest.hpp"

namespace muster::cli {

struct Bundle {
  process::UniqueFd file;   // a parcel (blobs/parcel.hpp), from its beginning
  std::uint64_t bytes = 0;  // of it
};

// A folder of code, whose contents are in the blobs of all records.
struct BundledCode {
  std::string folder;  // absolute
  snapshot::Manifest manifest;
};

// What goes into one. Each lies at its own absolute path below the folder where it is opened.
struct BundleContents {
  std::vector<model::TypedCommand::File> texts;  // by absolute paths
  std::vector<BundledCode> code;
  std::vector<std::string> data;  // absolute paths of files and folders
};

// `record`: of the run, where it is put together.
[[nodiscard]] base::Result<Bundle> make_bundle(const BundleContents& contents,
                                               const std::string& record);

// Lays one out in `folder`, which must not be there. `file` is read to its end.
[[nodiscard]] base::Result<void> open_bundle(int file, const std::string& folder);

}  // namespace muster::cli
