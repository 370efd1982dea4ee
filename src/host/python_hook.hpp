// What a Python interpreter loads at its start: an exception which ends it, or the text of an exit,
// is written to TORCHELASTIC_ERROR_FILE, as torch's @record would; and among MUSTER_LAUNCHERS it
// becomes muster when it is to run torch.distributed.launch or torch.distributed.run. A torch that
// would warn of the old name of a variable sees only the new one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace muster::host {

// A module `sitecustomize`: takes its own traces out of PYTHONPATH and sys.path, hands on to the
// user's own sitecustomize and to the hook that was there, and does nothing else.
[[nodiscard]] std::string_view python_hook();

// The module as a zip archive, an entry for PYTHONPATH: one file in memory is enough.
[[nodiscard]] std::string python_hook_archive();

// Whether a program seems to be Python: a word of its command speaks of it, or its first bytes name
// Python as its interpreter.
[[nodiscard]] bool is_python(std::span<const std::string> command, std::string_view first_bytes);

}  // namespace muster::host
