// Checkpoints that the hosts have removed from what was sent to them.
#pragma once

#include <set>
#include <string>

#include "blobs/goes_on.hpp"
#include "snapshot/manifest.hpp"

namespace muster::blobs {

// Removes from the record's `checkpoints` what was `sent`, is as it was then, and is not among
// those that some host still has. Paths are as seen from the record. `goes_on` says no: the others
// stay.
void remove_rotated(const std::string& record, const snapshot::Manifest& sent,
                    const std::set<std::string>& kept, const GoesOn& goes_on = {});

}  // namespace muster::blobs
