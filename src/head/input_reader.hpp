// InputReader: reads our stdin, only while it is told to.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

namespace muster::head {

struct InputReaderEvents {
  std::function<void(std::string)> bytes;
  std::function<void()> ended;
};

class InputReader {
 public:
  InputReader(asio::io_context& loop, InputReaderEvents events);
  ~InputReader();
  InputReader(const InputReader&) = delete;
  InputReader& operator=(const InputReader&) = delete;

  void on(bool reading);  // go on, or pause after what is under way

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace muster::head
