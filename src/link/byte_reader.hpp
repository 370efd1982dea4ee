// ByteReader: reads one descriptor without blocking and hands the bytes on as they come.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "process/unique_fd.hpp"

namespace muster::link {

// Held by shared_ptr: its pending handlers keep it. Either callback may close it.
class ByteReader : public std::enable_shared_from_this<ByteReader> {
 public:
  using OnBytes = std::function<void(std::string_view)>;
  using OnEnd = std::function<void()>;  // end of file or an error; called once, never after close()

  ByteReader(asio::io_context& loop, process::UniqueFd fd, OnBytes on_bytes, OnEnd on_end);

  void start();
  // Reads what is there now, outside the loop; the loop reports an end of input later.
  void drain();
  void close();

 private:
  enum class Got { bytes, all, nothing, end };
  Got read_once();
  void wait();
  void read_turn();
  void end();

  asio::posix::stream_descriptor descriptor_;
  OnBytes on_bytes_;
  OnEnd on_end_;
};

}  // namespace muster::link
