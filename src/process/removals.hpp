// Removals: folders that go while an event loop goes on, each by a process of its own.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <list>
#include <string>
#include <sys/types.h>

#include "process/life.hpp"

namespace muster::process {

// For a program that others wait for. Each process is reaped as soon as it has ended; those left
// are waited for at the end of this, since what ends a batch job's step may end all that is left
// of it, unless a signal has come that was held back (HeldSignals): then they go on alone.
class Removals {
 public:
  explicit Removals(asio::io_context& loop) : loop_(loop) {}
  ~Removals();
  Removals(const Removals&) = delete;
  Removals& operator=(const Removals&) = delete;

  // As remove_meanwhile(), but goes on at once.
  void remove(const std::string& path);

 private:
  struct Remover {
    pid_t pid;
    asio::posix::stream_descriptor end;  // a pidfd
  };
  using Place = std::list<Remover>::iterator;

  void watch(Place remover);
  void reap(Place remover);

  asio::io_context& loop_;
  std::list<Remover> removers_;
  Life life_;
};

}  // namespace muster::process
