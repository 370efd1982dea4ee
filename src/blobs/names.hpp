// Names: what a folder lists, in order. However much that is, a signal is heard meanwhile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "blobs/goes_on.hpp"

namespace muster::blobs {

// A heap: to sort 100,000 names at once takes a tenth of a second in which nobody is asked.
class Names {
 public:
  // Without "." and "..". Nothing with errno; ECANCELED: `goes_on`, which is asked before each few
  // hundred names, said no.
  [[nodiscard]] static std::optional<Names> in(const std::string& folder,
                                               const GoesOn& goes_on = {});

  [[nodiscard]] bool empty() const { return names_.empty(); }
  // Takes the first one out, in the order of their bytes. There must be one.
  [[nodiscard]] std::string take();

 private:
  std::vector<std::string> names_;  // a heap, the first name at its top
};

}  // namespace muster::blobs
