// SimStream: a task's stdout or stderr on its way through a pipe, read as far as credit goes.
#pragma once

#include <cstdint>
#include <functional>

namespace muster::sim {

inline constexpr std::uint64_t kPipeBytes = 64u << 10;  // what a pipe holds

class SimStream {
 public:
  using Bytes = std::function<void(std::uint64_t offset, std::uint32_t count)>;

  SimStream(std::uint64_t credit, Bytes bytes, std::function<void()> ended)
      : credit_(credit), bytes_(std::move(bytes)), ended_(std::move(ended)) {}

  void write(std::uint64_t count);       // by the task; blocks it while unwritten() is not 0
  void pause(bool paused);               // the task is stopped
  void writer_gone();                    // what it has not written never will be
  void hold() { other_writer_ = true; }  // another process has the pipe open too
  void let_go();                         // and ends
  void add_credit(std::uint32_t bytes);
  void drain();
  void discard();

  [[nodiscard]] std::uint64_t unwritten() const { return pending_; }
  [[nodiscard]] std::uint64_t written() const { return written_; }
  [[nodiscard]] bool over() const { return over_; }

 private:
  void flow();
  [[nodiscard]] bool step();

  std::uint64_t credit_;
  Bytes bytes_;
  std::function<void()> ended_;
  std::uint64_t pending_ = 0;  // the task wants to write them
  std::uint64_t written_ = 0;
  std::uint64_t pipe_ = 0;  // in the pipe
  std::uint64_t read_ = 0;
  bool paused_ = false;
  bool task_writer_ = true;
  bool other_writer_ = false;
  bool draining_ = false;
  bool discarding_ = false;
  bool over_ = false;
  bool flowing_ = false;
};

}  // namespace muster::sim
