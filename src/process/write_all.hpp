// write_all: the one way in which muster writes what is to be read later: to its own stdout and
// stderr, to logs and to records.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/time.hpp"

namespace muster::process {

struct Written {
  std::size_t bytes = 0;  // of those that were given, from the first on
  int error = 0;          // errno; 0: all of them
};

// Blocks until all is written, also where the descriptor does not. The error is EPIPE when nobody
// reads; ENOSPC, EDQUOT or EFBIG when there is no room. The signals SIGPIPE and SIGXFSZ must be
// ignored for EPIPE and EFBIG to be heard of.
[[nodiscard]] Written write_all(int file, std::string_view bytes);

// Likewise, to a descriptor that does not block: ETIMEDOUT when its reader pauses for so long.
[[nodiscard]] Written write_while_read(int file, std::string_view bytes, base::Duration patience);

// Likewise, to a person: ECANCELED where nobody reads and a signal is held back.
[[nodiscard]] Written write_unless_signalled(int file, std::string_view bytes);

}  // namespace muster::process
