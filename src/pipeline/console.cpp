// Holds lines until the terminal, pipe or file takes them.
#include "pipeline/console.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

#include "process/reopened.hpp"

namespace muster::pipeline {
namespace {

constexpr std::size_t kHeldMax = 256u << 10;  // bytes; steps wait while more is held

}  // namespace

Sink::Sink(int file) : own_(process::reopened(file)), file_(own_ ? own_.get() : file) {}

void Sink::add(std::string_view bytes) {
  if (!closed_) held_ += bytes;
}

// A disk may have room again; a reader that has gone does not come back (a terminal says EIO).
void Sink::write() {
  const ssize_t put = ::write(file_, held_.data() + at_, waiting());
  if (put >= 0) {
    at_ += static_cast<std::size_t>(put);
  } else if (errno != EINTR && errno != EAGAIN) {
    lose(errno);
  }
  if (at_ < held_.size() && at_ <= kHeldMax) return;
  held_.erase(0, at_);
  at_ = 0;
}

void Sink::lose(int error) {
  closed_ = error == EPIPE || (error == EIO && own_);
  if (!closed_ && lost_ == 0) error_ = error;
  if (!closed_) lost_ += waiting();
  at_ = held_.size();
}

std::string Sink::trouble(std::string_view name) const {
  if (lost_ == 0) return {};
  return fmt::format("cannot write to {}: {}; {} bytes are lost", name, std::strerror(error_),
                     lost_);
}

Console::Console() {
  sinks_[out] = std::make_shared<Sink>(STDOUT_FILENO);
  const bool one = process::same_place(STDOUT_FILENO, STDERR_FILENO);
  sinks_[err] = one ? sinks_[out] : std::make_shared<Sink>(STDERR_FILENO);
}

bool Console::is_full() const {
  return std::max(sinks_[0]->waiting(), sinks_[1]->waiting()) > kHeldMax;
}

bool Console::is_empty() const { return sinks_[0]->waiting() + sinks_[1]->waiting() == 0; }

}  // namespace muster::pipeline
