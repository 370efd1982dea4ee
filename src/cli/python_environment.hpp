// The virtual or conda environment that the user starts muster in: its hosts shall have it, too.
#pragma once

#include "cli/prospect.hpp"

namespace muster::cli {

// Sets App::python_program and python_environment where this machine finds what an app looks for on
// PATH in the environment that the launching shell has activated, and the ranks are told of it.
void note_python_environments(Prospect& job);

}  // namespace muster::cli
