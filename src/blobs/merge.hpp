// merge_into: what ranks have written on a host is added to the record.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "blobs/blob_store.hpp"
#include "blobs/goes_on.hpp"
#include "snapshot/manifest.hpp"

namespace muster::blobs {

struct Merged {
  std::vector<std::string> conflicts;  // paths that hold something else; theirs lie beside them
  std::vector<std::string> refused;    // links that lead out of the record, and strange paths
};

// Adds what a host sent to the record's folder; `store`, on the same file system, has its contents,
// which are moved out of it. What differs from a file that is there already, unless that is as
// it was `sent` to the host, goes below NAME.conflicts/HOST.
[[nodiscard]] base::Result<Merged> merge_into(const std::string& record, BlobStore& store,
                                              const snapshot::Manifest& theirs,
                                              const snapshot::Manifest& sent,
                                              const std::string& host, const GoesOn& goes_on = {});

}  // namespace muster::blobs
