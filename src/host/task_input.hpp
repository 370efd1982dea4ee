// TaskInput: writes what the head sends into one task's stdin, as fast as the task takes it.
#pragma once

#include <asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "process/unique_fd.hpp"

namespace muster::host {

class TaskInput : public std::enable_shared_from_this<TaskInput> {
 public:
  using Taken = std::function<void(std::uint32_t)>;

  TaskInput(asio::io_context& loop, Taken taken);

  // The pipe to the task; what has been written before was kept.
  void open(process::UniqueFd fd);

  // Bytes for a task that has closed its stdin are dropped, and count as taken.
  void write(std::string_view bytes);
  void finish();  // close once everything is written
  void close();   // at once; no callback will come any more

 private:
  void flush();
  void took(std::size_t bytes);

  asio::posix::stream_descriptor pipe_;
  std::string queue_;  // bounded by the head's window
  Taken taken_;
  bool waiting_ = false;
  bool finishing_ = false;
  bool wanted_ = true;  // the task may yet read what comes
};

}  // namespace muster::host
