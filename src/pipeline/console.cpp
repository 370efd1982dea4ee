// Holds lines until the terminal, pipe or file takes them.
#include "pipeline/console.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <unistd.h>

#include "process/write_all.hpp"

namespace muster::pipeline {
namespace {

constexpr std::size_t kHeldMax = 256u << 10;  // bytes; steps wait while more is held

int file_of(Console::Stream stream) {
  return stream == Console::out ? STDOUT_FILENO : STDERR_FILENO;
}

}  // namespace

void Console::add(Stream stream, std::string_view lines) {
  if (closed_[stream]) {
    lost_ = lost_ || !lines.empty();
  } else {
    held_[stream] += lines;
  }
}

bool Console::is_full() const { return std::max(held_[0].size(), held_[1].size()) > kHeldMax; }

// A pipe that poll() has called writable takes PIPE_BUF bytes without blocking.
void Console::write(Stream stream) {
  const std::size_t size = std::min<std::size_t>(held_[stream].size(), PIPE_BUF);
  const ssize_t put = ::write(file_of(stream), held_[stream].data(), size);
  if (put >= 0) {
    held_[stream].erase(0, static_cast<std::size_t>(put));
  } else if (errno != EINTR && errno != EAGAIN) {
    drop(stream);
  }
}

void Console::finish() {
  for (const Stream stream : {out, err}) {
    if (!wants_to_write(stream)) continue;
    if (process::write_all(file_of(stream), held_[stream]).error != 0) drop(stream);
    held_[stream].clear();
  }
}

void Console::drop(Stream stream) {
  lost_ = true;
  closed_[stream] = true;
  held_[stream].clear();
}

}  // namespace muster::pipeline
