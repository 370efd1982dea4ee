// Question: a program that is asked something while the head goes on, for a bounded time.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "link/byte_reader.hpp"
#include "process/alarm.hpp"
#include "process/child.hpp"

namespace muster::head {

class Question {
 public:
  explicit Question(asio::io_context& loop) : loop_(loop), limit_(loop) {}
  ~Question() { end(); }  // the program is killed if it still runs
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  // `answer` hears all of its stdout, at most 64 KiB, when it has ended well; never if it has not,
  // cannot be started, or takes longer. One question at a time.
  void ask(const std::vector<std::string>& words, const std::vector<std::string>& environment,
           base::Duration limit, std::function<void(const std::string&)> answer);

 private:
  void end();

  asio::io_context& loop_;
  process::Alarm limit_;
  std::string said_;
  std::shared_ptr<link::ByteReader> out_;
  std::unique_ptr<process::Child> child_;
};

}  // namespace muster::head
