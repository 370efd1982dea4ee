// Question: a program that is asked something while the loop goes on, bounded in time and in what
// it says.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/time.hpp"
#include "process/alarm.hpp"
#include "process/child.hpp"
#include "process/life.hpp"

namespace muster::process {

class Question {
 public:
  enum class Ending : std::uint8_t {
    well,         // with code 0
    badly,        // with another one, or by a signal
    late,         // it has been killed at the end of its time
    flooding,     // it has been killed for what it says
    not_started,  // there is no such program, or no room for one
  };
  struct Said {
    Ending ending = Ending::well;
    std::string out;  // its stdout, up to the end or the bound; what goes to stderr is dropped
  };
  struct Bounds {
    base::Duration time;
    std::size_t bytes = 64u << 10;
  };

  explicit Question(asio::io_context& loop);
  ~Question() { end(); }  // the program is killed if it still runs
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  // `answer` comes once, from the loop, and may destroy this or ask anew; not after another ask()
  // or end(). The program is over when it ends, whoever still holds its pipes.
  void ask(const std::vector<std::string>& words, const std::vector<std::string>& environment,
           Bounds bounds, std::function<void(Said)> answer);
  // Killed, and reaped by the loop: one that the kernel does not let go of is not waited for.
  void end();

 private:
  using Stream = asio::posix::stream_descriptor;

  void listen(Stream& from, bool keeps);
  std::error_code read_piece(Stream& from, bool keeps);
  void drain();
  void answer_with(Ending ending);

  asio::io_context& loop_;
  Alarm limit_;
  Stream out_;
  Stream err_;
  std::unique_ptr<Child> child_;
  std::size_t bytes_max_ = 0;
  std::string said_;
  std::array<char, 4096> piece_{};
  std::function<void(Said)> answer_;
  Life life_;  // of this question
};

}  // namespace muster::process
