// Compares getrlimit(2) with what a run needs at least.
#include "process/room_to_start.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <fcntl.h>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

#include "process/unique_fd.hpp"

namespace muster::process {
namespace {

constexpr rlim_t kStackLeast = rlim_t{256} << 10;
constexpr std::size_t kStackUsed = std::size_t{128} << 10;  // arguments have a quarter beside it
constexpr rlim_t kMemoryLeast = rlim_t{1} << 20;            // beside the program itself

// Nothing is allocated.
rlim_t mapped_now() {
  const UniqueFd file(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  std::array<char, 64> text{};
  const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : 0;
  std::uint64_t pages = 0;
  if (size > 0) std::from_chars(text.data(), text.data() + size, pages);
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// The stack grows now, while there is room, and not when other things have taken it.
[[gnu::noinline]] void use_stack() {
  std::array<volatile char, kStackUsed> room;
  for (std::size_t at = 0; at < room.size(); at += 4096) room[at] = 0;
}

base::Error too_little(std::string_view what, rlim_t limit, std::string_view letter,
                       std::string_view enough) {
  return {base::Fault::cannot_start,
          fmt::format("the shell's limit of {}, {} KiB, leaves muster no room", what, limit >> 10),
          fmt::format("`ulimit -{} {}` before muster starts", letter, enough),
          {}};
}

}  // namespace

std::optional<base::Error> missing_room() {
  rlimit stack{};
  rlimit memory{};
  if (::getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < kStackLeast) {
    return too_little("the stack", stack.rlim_cur, "s", "8192");
  }
  if (::getrlimit(RLIMIT_AS, &memory) != 0 || memory.rlim_cur == RLIM_INFINITY) return std::nullopt;
  if (memory.rlim_cur < mapped_now() + kMemoryLeast) {
    return too_little("memory", memory.rlim_cur, "v", "unlimited");
  }
  use_stack();
  return std::nullopt;
}

}  // namespace muster::process
