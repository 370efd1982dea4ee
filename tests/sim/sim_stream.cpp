// A pipe of 64 KiB between a writer that blocks and a reader that has credit.
#include "sim/sim_stream.hpp"

#include <algorithm>
#include <limits>

namespace muster::sim {

namespace {
constexpr std::uint64_t kReadBytes = 64u << 10;
}  // namespace

void SimStream::write(std::uint64_t count) {
  pending_ += count;
  flow();
}

void SimStream::pause(bool paused) {
  paused_ = paused;
  flow();
}

void SimStream::writer_gone() {
  pending_ = 0;
  task_writer_ = false;
  flow();
}

void SimStream::let_go() {
  other_writer_ = false;
  flow();
}

void SimStream::add_credit(std::uint32_t bytes) {
  credit_ += bytes;
  flow();
}

void SimStream::drain() {
  draining_ = true;
  flow();
}

void SimStream::discard() {
  discarding_ = true;
  flow();
}

// Bytes that are given may bring credit before the call returns.
void SimStream::flow() {
  if (flowing_) return;
  flowing_ = true;
  while (!over_ && step()) continue;
  flowing_ = false;
}

// True when something moved. The end of a pipe is only seen by a reader with credit, as in reality.
bool SimStream::step() {
  const std::uint64_t filled = paused_ ? 0 : std::min(pending_, kPipeBytes - pipe_);
  pending_ -= filled;
  pipe_ += filled;
  written_ += filled;
  const std::uint64_t allowed = discarding_ ? std::numeric_limits<std::uint64_t>::max() : credit_;
  if (allowed == 0) return filled != 0;
  if (pipe_ > 0) {
    const std::uint64_t count = std::min({pipe_, allowed, kReadBytes});
    pipe_ -= count;
    const std::uint64_t offset = read_;
    read_ += count;
    if (!discarding_) {
      credit_ -= count;
      bytes_(offset, static_cast<std::uint32_t>(count));
    }
    return true;
  }
  if (draining_ || (!task_writer_ && !other_writer_)) {
    over_ = true;
    ended_();
  }
  return filled != 0;
}

}  // namespace muster::sim
