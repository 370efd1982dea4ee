// replace_output: a file or folder takes the place of another one, as a whole.
#pragma once

#include <string>

#include "base/error.hpp"

namespace muster::cli {

// A copy of `from` is made beside `to` and then takes its name. Readers find the old one or the new
// one, never a part. Nothing is done if there is no `from`. A folder that holds the record, or in
// which the user stands, is not replaced.
//
// A signal that is held back ends the copying, as copy_written() tells.
//
// What lay at `to` is removed only if runs on record have put it there (store::Placed). Anything
// else is the user's: it stays beside `to`, under the name that is returned; empty: there was
// nothing of that kind.
[[nodiscard]] base::Result<std::string> replace_output(const std::string& from,
                                                       const std::string& to,
                                                       const std::string& record);

}  // namespace muster::cli
