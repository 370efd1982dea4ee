// Opens a pair of the kernel's pseudo-terminals.
#include "process/terminal.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <utility>

namespace muster::process {
namespace {

tl::unexpected<base::Error> no_terminal() {
  return base::fail(base::Fault::internal,
                    "/proc/sys/kernel/pty/max bounds their number; without --unbuffered none is "
                    "needed",
                    "cannot open a pseudo-terminal: {}", std::strerror(errno));
}

// The other end by its number in this pair: its name may lead elsewhere, or nowhere, in a
// container.
int open_other(int master) { return ::ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC); }

bool pass_bytes(int terminal, model::TerminalSize size) {
  termios settings{};
  if (::tcgetattr(terminal, &settings) != 0) return false;
  ::cfmakeraw(&settings);
  const winsize shown{size.rows, size.columns, 0, 0};
  return ::tcsetattr(terminal, TCSANOW, &settings) == 0 &&
         ::ioctl(terminal, TIOCSWINSZ, &shown) == 0;
}

}  // namespace

base::Result<Pipe> make_terminal(model::TerminalSize size) {
  UniqueFd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!master || ::unlockpt(master.get()) != 0) return no_terminal();
  UniqueFd other(open_other(master.get()));
  if (!other || !pass_bytes(other.get(), size)) return no_terminal();
  return Pipe{std::move(master), std::move(other)};
}

model::TerminalSize terminal_size(int file) {
  winsize shown{};
  const bool known = ::ioctl(file, TIOCGWINSZ, &shown) == 0 && shown.ws_col > 0 && shown.ws_row > 0;
  return known ? model::TerminalSize{shown.ws_col, shown.ws_row} : model::TerminalSize{};
}

}  // namespace muster::process
