// What the ranks of a run have written in its record's folder on their host, and how that comes
// home.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "blobs/parcel.hpp"
#include "snapshot/manifest.hpp"

namespace muster::blobs {

struct Written {
  snapshot::Manifest manifest;
  std::map<std::string, std::string> places;  // of contents: a file by its hash
};

// A folder with all that it holds, or a file, whose path is then "". Adds a place for each content.
[[nodiscard]] base::Result<snapshot::Manifest> hashed(const std::string& path,
                                                      std::map<std::string, std::string>& places);

// Below `outputs` and `checkpoints`, and what was changed or added below `code` since it was laid
// out there.
[[nodiscard]] base::Result<Written> written_in(const std::string& record);

// The manifest and all contents.
[[nodiscard]] base::Result<void> write_parcel(int to, const Written& written);

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
                                              const std::string& host);

}  // namespace muster::blobs
