// Starts the program, and collects what it says until it ends or a bound is met.
#include "process/question.hpp"

#include <algorithm>
#include <asio/error.hpp>
#include <csignal>
#include <utility>

namespace muster::process {

Question::Question(asio::io_context& loop) : loop_(loop), limit_(loop), out_(loop), err_(loop) {}

void Question::ask(const std::vector<std::string>& words,
                   const std::vector<std::string>& environment, Bounds bounds,
                   std::function<void(Said)> answer) {
  end();
  said_.clear();
  bytes_max_ = bounds.bytes;
  answer_ = std::move(answer);
  auto child = Child::start(
      loop_, words, environment,
      [this](ChildEnd ended) {
        drain();
        if (said_.size() > bytes_max_) return answer_with(Ending::flooding);
        const bool well = ended.code == 0 && ended.signal == 0;
        answer_with(well ? Ending::well : Ending::badly);
      },
      SIGKILL);
  // Not from within ask().
  if (!child) return limit_.after(base::Duration(0), [this] { answer_with(Ending::not_started); });
  child_ = std::move(*child);
  child_->pipes().in.reset();
  out_.assign(child_->pipes().out.release());
  err_.assign(child_->pipes().err.release());
  out_.non_blocking(true);
  err_.non_blocking(true);
  listen(out_, true);
  listen(err_, false);
  limit_.after(bounds.time, [this] { answer_with(Ending::late); });
}

// Waits, and reads by hand: what a read of asio's has taken from the pipe would be lost where the
// program's end is heard before the handler of that read.
void Question::listen(Stream& from, bool keeps) {
  from.async_wait(Stream::wait_read, life_.bind([this, &from, keeps](const std::error_code& error) {
    if (error) return;
    const std::error_code over = read_piece(from, keeps);
    if (over && over != asio::error::would_block) return;
    if (said_.size() > bytes_max_) return answer_with(Ending::flooding);
    listen(from, keeps);
  }));
}

// Its stderr is read as well: a full pipe would hold it.
std::error_code Question::read_piece(Stream& from, bool keeps) {
  std::error_code error;
  const std::size_t size = from.read_some(asio::buffer(piece_), error);
  if (keeps) said_.append(piece_.data(), size);
  return error;
}

// What it has said may lie in its pipe when it has ended.
void Question::drain() {
  while (said_.size() <= bytes_max_ && !read_piece(out_, true)) continue;
}

void Question::answer_with(Ending ending) {
  said_.resize(std::min(said_.size(), bytes_max_));
  const auto answer = std::move(answer_);
  Said said{ending, std::move(said_)};
  end();
  answer(std::move(said));
}

void Question::end() {
  life_.end();
  life_ = Life();
  limit_.stop();
  answer_ = nullptr;
  std::error_code ignored;
  out_.close(ignored);
  err_.close(ignored);
  if (child_) Child::let_go(std::move(child_));
}

}  // namespace muster::process
