// Snapshots: a folder's files into the blob store, and a copy of them out of it.
#pragma once

#include <string>

#include "base/error.hpp"
#include "blobs/blob_store.hpp"
#include "blobs/survey.hpp"
#include "snapshot/manifest.hpp"

namespace muster::blobs {

// Both ask whether the store's `goes_on` still says yes, before each entry, and give up else.
//
// Keeps what the survey found. Files that have gone since are no part of it.
[[nodiscard]] base::Result<snapshot::Manifest> keep_all(BlobStore& store,
                                                        const snapshot::Manifest& surveyed,
                                                        const std::string& folder);

// Makes `folder`, which must not be there, with all that the manifest names. The owner may change
// what lies in it, whatever its modes were.
[[nodiscard]] base::Result<void> lay_out(BlobStore& store, const snapshot::Manifest& manifest,
                                         const std::string& folder);

}  // namespace muster::blobs
