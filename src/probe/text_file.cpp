// Reads small files with plain system calls: a stream costs more than the file.
#include "probe/text_file.hpp"

#include <array>
#include <cstddef>
#include <fcntl.h>
#include <unistd.h>

#include "process/unique_fd.hpp"

namespace muster::probe {
namespace {
constexpr std::size_t kTextMax = 1u << 20;
constexpr int kToRead = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
}  // namespace

std::string read_text(const std::string& path) {
  const process::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> chunk;
  while (file && text.size() < kTextMax) {
    const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
    if (got <= 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return text;
}

// Anything may lie there, such as a fifo that nobody writes to.
std::string first_bytes(const std::string& path, std::size_t most) {
  const process::UniqueFd file(::open(path.c_str(), kToRead));
  std::string text(most, '\0');
  const ssize_t got = file ? ::read(file.get(), text.data(), text.size()) : 0;
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace muster::probe
