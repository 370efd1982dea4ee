// Describes what the kernel refused to muster itself: with the limit behind it, and how to raise
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace muster::process {

// Limits of this process; 0 stands for one that is not there or does not bind it.
struct Limits {
  std::uint64_t files = 0;      // descriptors that it may have open (ulimit -n)
  std::uint64_t files_max = 0;  // how far it may raise that by itself (ulimit -Hn)
  std::uint64_t processes = 0;  // of this user, threads too (ulimit -u)
  std::uint64_t memory = 0;     // address space in bytes (ulimit -v)
  std::string group;            // folder of a control group that is full of processes; or empty
  std::uint64_t group_processes = 0;  // how many those are (pids.max)
};
[[nodiscard]] Limits own_limits();

// Whether an errno tells that something has run out, rather than that the wrong thing was asked.
[[nodiscard]] bool is_shortage(int error);
// Whether accept() has failed since there is no descriptor, or no memory, for one more: then it
// goes on once another connection has ended. Any other errno is about the caller alone.
[[nodiscard]] bool lacks_room(int error);

// Fault::internal: "cannot open a pipe: Too many open files; the limit is 64". `error` is an errno.
[[nodiscard]] base::Error system_error(std::string_view what, int error, const Limits& limits);
[[nodiscard]] base::Error system_error(std::string_view what, int error);

// Fault::internal: the limit of open files has room for so many ranks of those of this host.
[[nodiscard]] base::Error too_few_descriptors(std::size_t ranks, std::size_t fit,
                                              const Limits& limits);

// What a system call has given, as a rule a descriptor; when it has given none, std::system_error
// with its errno, as the event loop would throw it.
int required(int given);

// What libraries throw when the kernel refuses them something.
[[nodiscard]] base::Error thrown_error(const std::exception& thrown);

// Calls what may throw for want of descriptors, processes or memory.
template <class Call>
[[nodiscard]] auto caught(const Call& call) -> base::Result<decltype(call())> {
  try {
    return call();
  } catch (const std::exception& thrown) {
    return tl::unexpected(thrown_error(thrown));
  }
}

}  // namespace muster::process
