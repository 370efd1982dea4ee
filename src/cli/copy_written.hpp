// copy_written: what a step has written, copied and told of.
#pragma once

#include <string>

#include "base/error.hpp"
#include "blobs/copy_tree.hpp"

namespace muster::cli {

// As blobs::copy_tree() does, with one line about what is left out.
// Fault::output when something cannot be copied, and when `from` itself is of that kind. `place`:
// what errors call the copy, where that gets another name later. A signal that is held back ends
// the copying within some ten milliseconds (process::heard_meanwhile()), and nothing of the copy
// stays.
[[nodiscard]] base::Result<void> copy_written(const std::string& from, const std::string& to,
                                              const std::string& place,
                                              blobs::CopiedLinks links = blobs::CopiedLinks::all);

}  // namespace muster::cli
