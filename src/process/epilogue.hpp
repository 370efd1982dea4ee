// run_epilogue: the command that a guard or a warden runs once all processes have ended, for what
// they may have left that is none.
#pragma once

#include <string>
#include <vector>

namespace muster::process {

// Nothing to do without words. A command that takes too long is killed.
void run_epilogue(const std::vector<std::string>& words);

}  // namespace muster::process
