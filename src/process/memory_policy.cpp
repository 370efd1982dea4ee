// The C library has no such calls, and libnuma is one more library.
#include "process/memory_policy.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace muster::process {
namespace {

constexpr std::size_t kNodeWordBits = sizeof(std::uint64_t) * CHAR_BIT;

int kernel_mode(model::MemoryMode mode) {
  switch (mode) {
    case model::MemoryMode::inherited:
      return MPOL_DEFAULT;
    case model::MemoryMode::local:
      return MPOL_LOCAL;
    case model::MemoryMode::interleave:
      return MPOL_INTERLEAVE;
    case model::MemoryMode::bind:
      return MPOL_BIND;
  }
  return MPOL_DEFAULT;
}

// The kernel takes one from the count of bits.
bool set_policy(int mode, std::span<const std::uint64_t> nodes) {
  const std::uint64_t* mask = nodes.empty() ? nullptr : nodes.data();
  const unsigned long bits = nodes.empty() ? 0 : nodes.size() * kNodeWordBits + 1;
  return ::syscall(SYS_set_mempolicy, mode, mask, bits) == 0;
}

}  // namespace

bool set_memory_policy(model::MemoryMode mode, std::span<const std::uint64_t> nodes) {
  return mode == model::MemoryMode::inherited || set_policy(kernel_mode(mode), nodes);
}

int try_memory_policy(const model::MemoryPolicy& policy) {
  int mode = MPOL_DEFAULT;
  std::array<std::uint64_t, model::kCpusMax / kNodeWordBits> nodes{};
  const unsigned long bits = nodes.size() * kNodeWordBits;
  if (::syscall(SYS_get_mempolicy, &mode, nodes.data(), bits, nullptr, 0) != 0) return errno;
  if (!set_memory_policy(policy.mode, policy.nodes.words())) return errno;
  std::size_t used = nodes.size();
  while (used > 0 && nodes[used - 1] == 0) --used;
  return set_policy(mode, std::span(nodes).first(used)) ? 0 : errno;
}

}  // namespace muster::process
