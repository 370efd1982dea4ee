// Alarm: one timer. Its handler is never called once the alarm has been set again, stopped or
// destroyed, also when its time had come by then.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <utility>

#include "base/time.hpp"
#include "process/life.hpp"

namespace muster::process {

class Alarm {
 public:
  explicit Alarm(asio::io_context& loop) : timer_(loop) {}
  // On the loop of another of its objects.
  explicit Alarm(const asio::any_io_executor& executor) : timer_(executor) {}
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  // `ring` may set, stop or destroy the alarm. Only the last setting counts.
  void at(base::Instant when, std::function<void()> ring) {
    timer_.expires_at(std::chrono::steady_clock::time_point(when.time_since_epoch()));
    wait(std::move(ring));
  }
  void after(base::Duration delay, std::function<void()> ring) {
    timer_.expires_after(delay);
    wait(std::move(ring));
  }
  void stop() {
    setting_.end();
    timer_.cancel();
  }

 private:
  void wait(std::function<void()> ring) {
    setting_ = Life();
    timer_.async_wait(setting_.bind([ring = std::move(ring)](const std::error_code& error) {
      if (!error) ring();
    }));
  }

  asio::steady_timer timer_;
  Life setting_;  // of the last one
};

}  // namespace muster::process
