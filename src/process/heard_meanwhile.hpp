// heard_meanwhile and remove_meanwhile: what takes long is done in a process of its own, while this
// one listens, or goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>

#include "base/error.hpp"

namespace muster::process {

// What becomes of the work when a signal asks this program to end.
enum class Unfinished : std::uint8_t { is_ended, goes_on };

// Does `work`, and returns what it returns. Where signals are held back (HeldSignals, a
// conductor), one that waits is noticed within some ten milliseconds: the work is ended, whatever
// it has half done, or goes on by itself, and there is Fault::output. waiting_signal()
// tells that from other failures. What the work says is said; what it changes in memory is lost.
[[nodiscard]] base::Result<void> heard_meanwhile(const std::function<base::Result<void>()>& work,
                                                 Unfinished unfinished);

// A file, or a folder with all below it, goes, whatever signal comes: after one, while this program
// ends. A folder first gets another name beside its own, PATH.gone-PID, so that its own is free
// when this returns. What goes on by then holds no lock and no link of this process. Errors are
// ignored (what stays is found by its name: store/leftovers), as is a path where nothing is.
void remove_meanwhile(const std::string& path);
// The same of a program that has been told to end, and heard it: it does not wait for that.
void remove_unwaited(const std::string& path);
// The same; the caller goes on at once, and waits for the process that removes (Removals does). 0:
// all has gone already.
[[nodiscard]] pid_t remove_in_process(const std::string& path);

}  // namespace muster::process
