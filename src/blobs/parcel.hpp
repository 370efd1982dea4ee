// Parcels: a manifest with contents, as one stream of bytes between a head and its hosts.
//
//   muster parcel 1 MANIFEST-BYTES COUNT\n   then the manifest, then COUNT contents, each:
//   SHA256 SIZE\n                            and so many bytes
//
// The receiver trusts neither sizes nor hashes: contents are hashed as they come. It takes none
// that the manifest does not name, none of another size, none twice, and nothing after them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "blobs/blob_store.hpp"
#include "blobs/goes_on.hpp"
#include "snapshot/manifest.hpp"

namespace muster::blobs {

// Bytes of each content by its hash.
using Contents = std::map<std::string, std::uint64_t>;

// Those of a manifest's files, each once.
[[nodiscard]] Contents contents_of(const snapshot::Manifest& manifest);

// Writes one with these contents; `place` names a file that holds one. Fault::output: nobody takes
// it, or no room; the error calls `to` by its `name`. In an empty file, zeros become holes.
using PlaceOf = std::function<std::string(const std::string& hash)>;
[[nodiscard]] base::Result<void> write_parcel(int to, const std::string& name,
                                              const snapshot::Manifest& manifest,
                                              const Contents& contents, const PlaceOf& place,
                                              const GoesOn& goes_on = {});

// Reads one to its end: its contents into the store, where they are checked. Not all that the
// manifest names need be among them.
[[nodiscard]] base::Result<snapshot::Manifest> read_parcel(int from, BlobStore& store,
                                                           const GoesOn& goes_on = {});

}  // namespace muster::blobs
