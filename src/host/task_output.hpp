// TaskOutput: reads one task's stdout or stderr, no further than its credit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "host/readable_set.hpp"
#include "process/unique_fd.hpp"

namespace muster::host {

class TaskOutput : public std::enable_shared_from_this<TaskOutput> {
 public:
  using Bytes = std::function<void(std::string_view)>;
  using Ended = std::function<void()>;

  // `buffer` is shared by all outputs of the loop and only used within one call.
  TaskOutput(ReadableSet& readable, process::UniqueFd fd, std::uint32_t credit,
             std::span<char> buffer, Bytes bytes, Ended ended);

  void start() { wait(); }
  void add_credit(std::uint32_t bytes);
  void drain();    // from now on an empty pipe is the end
  void discard();  // from now on credit is endless and the bytes go nowhere
  void close();    // no callback will come any more

 private:
  void wait();
  void pause();
  void stop_blocking();
  void read_some();
  void end();
  [[nodiscard]] std::size_t allowance() const;

  ReadableSet& readable_;
  process::UniqueFd pipe_;
  ReadableSet::Ticket ticket_ = 0;
  std::uint64_t credit_;
  std::span<char> buffer_;
  Bytes bytes_;
  Ended ended_;
  bool blocks_ = true;
  bool draining_ = false;
  bool discarding_ = false;
  bool open_ = true;
};

}  // namespace muster::host
