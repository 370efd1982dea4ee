// ConsoleWriter: our own stdout and stderr, written without ever blocking the loop.
//
// A pipe or terminal is opened again for us alone, non-blocking, so that processes that share it
// are not affected; a file or another kind is written as it is. What does not fit at once waits;
// `congested` tells the others to wait too, so that the memory used stays bounded. What cannot be
// written at all (a full disk) is dropped, counted and told; what comes later is tried again.
#pragma once

#include <asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "machine/lines.hpp"

namespace muster::head {

class ConsoleWriter final : public machine::LineSink {
 public:
  static constexpr machine::SinkId kOut = 0;
  static constexpr machine::SinkId kErr = 1;
  static constexpr std::size_t kHigh = 1u << 20;  // bytes waiting, above which we are congested
  static constexpr std::size_t kLow = 256u << 10;

  // `relieved` is called when congestion ends, `closed` once when our stdout has no reader any
  // more.
  ConsoleWriter(asio::io_context& loop, const std::function<void()>& relieved,
                std::function<void()> closed);
  ~ConsoleWriter();
  ConsoleWriter(const ConsoleWriter&) = delete;
  ConsoleWriter& operator=(const ConsoleWriter&) = delete;

  [[nodiscard]] static machine::SinkId sink_of(model::Stream stream) {
    return stream == model::Stream::out ? kOut : kErr;
  }
  void write(machine::SinkId sink, std::string_view bytes) override;
  // Ends the line that stands open there, so that what comes next does not continue it.
  void begin_line(machine::SinkId sink);
  [[nodiscard]] bool congested() const;
  [[nodiscard]] std::size_t waiting() const;  // bytes
  [[nodiscard]] std::uint64_t taken() const;  // bytes that the kernel has taken
  // What was lost and why, a line for each of stdout and stderr; empty: nothing.
  [[nodiscard]] std::vector<std::string> troubles() const;
  // Calls back once everything has been written, or there is no reader any more.
  void drain(std::function<void()> done);

 private:
  class Sink;
  void tell();

  std::shared_ptr<Sink> out_;
  std::shared_ptr<Sink> err_;  // the same as out_ when both lead to one place: order is kept
};

}  // namespace muster::head
