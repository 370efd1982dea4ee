// copy_tree: the one way in which muster copies what a step has written: a folder with all that it
// holds, a file, or a link.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "blobs/survey.hpp"

namespace muster::blobs {

// Which links are copied: of another user's files only those that stay below the root, wherever
// others on their way lead, since these are judged by themselves.
enum class CopiedLinks : std::uint8_t { all, inside };

struct Copied {
  std::vector<LeftOut> left_out = {};  // what is neither file, folder nor such a link
  std::string failed = {};   // the first thing that could not be copied; then nothing of the copy
  int why = 0;               // stays, and this is why: its errno. 0: all of it is there
  bool is_too_deep = false;  // why, where no errno says it; the name is cut
};

// `to` must not be there; the folder around it must. Links are copied and never followed, not even
// one at `from` itself. Modes and times are kept, and so are holes of files.
[[nodiscard]] Copied copy_tree(const std::string& from, const std::string& to,
                               CopiedLinks links = CopiedLinks::all);

// "cannot copy X to Y: No space left on device".
[[nodiscard]] base::Error cannot_copy(const Copied& copied, const std::string& to);

}  // namespace muster::blobs
