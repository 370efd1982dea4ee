// Opens what output is written to. Nothing is waited for: a FIFO without a reader is an error.
#pragma once

#include <cstdint>
#include <string>

#include "process/unique_fd.hpp"

namespace muster::process {

// Who has chosen a file's name.
enum class NamedBy : std::uint8_t {
  user,    // it may be a link, a device or a FIFO
  muster,  // in a folder that somebody has named: only a regular file, and no link to one
};

// Makes the file, or empties it; but a file that this process prints to keeps what it has, and goes
// on where stdout or stderr is. Nothing, with errno: ELOOP of a link, EINVAL of what is no regular
// file, ENXIO of a FIFO that nobody reads, EBADF of a name such as /dev/stdout whose stream the
// caller has closed, or has not opened for writing.
[[nodiscard]] UniqueFd open_output(const std::string& path, NamedBy whom);

struct OpenedOutput {
  UniqueFd file = {};
  bool is_made = false;  // it was not there
};

// The same for a name in an open folder, or AT_FDCWD; what is in the file stays for now.
[[nodiscard]] OpenedOutput open_output_at(int folder, const std::string& name, NamedBy whom);

// Whether stdout or stderr is written to that regular file, too.
[[nodiscard]] bool is_printed_to(int file);

// Whether another file may take its place: there is none, or a plain one that this process does not
// print to.
[[nodiscard]] bool may_be_replaced(const std::string& path);

// What such an errno means in plain words, and what to do about it; empty where that is unknown.
[[nodiscard]] const char* output_trouble(int error);
[[nodiscard]] std::string output_hint(int error);

}  // namespace muster::process
