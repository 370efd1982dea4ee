// Whether this process belongs to a terminal.
#pragma once

namespace muster::probe {

// It has a controlling terminal, wherever its stdio goes.
[[nodiscard]] bool has_terminal();

// Its stdin, stdout and stderr are all /dev/null.
[[nodiscard]] bool is_silenced();

}  // namespace muster::probe
