// Gathered: files and folders with their hashes, as they are to travel: inputs to hosts, and what
// ranks have written home.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "blobs/goes_on.hpp"
#include "blobs/parcel.hpp"
#include "blobs/survey.hpp"
#include "snapshot/manifest.hpp"

namespace muster::blobs {

struct Gathered {
  snapshot::Manifest manifest;
  std::map<std::string, std::string> places;  // of contents: a file by its hash
  std::vector<LeftOut> left_out;              // what is no file, or cannot be read or named
};

// A folder with all that it holds, or a file, whose path is then "". A link at its end is followed;
// so are links from within it to what lies elsewhere below `root`.
[[nodiscard]] base::Result<Gathered> gather(const std::string& path, const std::string& root,
                                            const GoesOn& goes_on = {});

// What ranks have written in a record: below `outputs`, `checkpoints` and `mlruns`, and what was
// changed or added below `code` since it was laid out there. An output that is a link to a folder
// stands for that.
[[nodiscard]] base::Result<Gathered> written_in(const std::string& record);

// The manifest and all contents.
[[nodiscard]] base::Result<void> write_parcel(int to, const std::string& name,
                                              const Gathered& gathered);

}  // namespace muster::blobs
