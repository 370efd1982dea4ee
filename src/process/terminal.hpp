// make_terminal: a pseudo-terminal for what a program prints. Many programs keep kilobytes of it
// back unless they believe that a person looks on.
#pragma once

#include "base/error.hpp"
#include "model/terminal_size.hpp"
#include "process/pipe.hpp"

namespace muster::process {

// The program gets `write`, on which every byte passes as it is: nothing is echoed, no newline
// becomes two characters, no character is a signal. It is nobody's controlling terminal. Both ends
// close on exec. Once the last `write` is closed, reading gives what is left, then EIO.
[[nodiscard]] base::Result<Pipe> make_terminal(model::TerminalSize size);

// That of the terminal behind a descriptor; the usual one where there is none.
[[nodiscard]] model::TerminalSize terminal_size(int file);

}  // namespace muster::process
