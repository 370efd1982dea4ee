// Console, logs and credit in one place, so that no byte is counted twice.
#include "app/output_flow.hpp"

#include <unistd.h>

#include "app/clock.hpp"

namespace muster::app {

using base::Rank;
using wire::Stream;

OutputFlow::OutputFlow(asio::io_context& loop, const model::JobSpec& spec, std::uint32_t window,
                       std::uint32_t world_size, std::optional<LogFiles> logs,
                       OutputFlowEvents events)
    : timer_(loop),
      events_(std::move(events)),
      writer_(
          loop, [this] { give_all_credit(); }, events_.closed),
      console_(spec.output, world_size, ::isatty(STDOUT_FILENO) == 1),
      logs_(std::move(logs)),
      windows_(world_size, window),
      timestamps_(spec.output.timestamp),
      owed_(2 * static_cast<std::size_t>(world_size)) {}

machine::ConsoleTime OutputFlow::time() const {
  machine::ConsoleTime time{now(), {}};
  if (timestamps_) time.wall = std::chrono::system_clock::now();
  return time;
}

void OutputFlow::add(const model::World& world, std::uint32_t window) {
  windows_.resize(windows_.size() + world.size, window);
  owed_.resize(2 * windows_.size());
  console_.add(world);
  if (logs_) logs_->add(world);
}

void OutputFlow::take(Rank rank, Stream stream, std::string_view bytes) {
  if (logs_) logs_->write(rank, stream, bytes);
  const int owned = console_.owned_sinks();
  console_.take(rank, stream, bytes, time(), writer_);
  const std::size_t lane = 2 * rank.value + (stream == Stream::err ? 1 : 0);
  owed_[lane] += static_cast<std::uint32_t>(bytes.size());
  if (!writer_.congested()) give_credit(lane, windows_[rank.value] / 2);
  if (console_.owned_sinks() < owned) give_all_credit();  // a long line has ended: all may go on
  watch_owner();
}

void OutputFlow::give_credit(std::size_t lane, std::uint32_t at_least) {
  if (owed_[lane] < at_least || owed_[lane] == 0) return;
  const Rank rank(lane / 2);
  const Stream stream = lane % 2 == 0 ? Stream::out : Stream::err;
  if (console_.full(rank, stream)) return;
  events_.credit(rank, stream, std::exchange(owed_[lane], 0));
}

void OutputFlow::give_all_credit() {
  for (std::size_t lane = 0; lane < owed_.size() && !writer_.congested(); ++lane) {
    give_credit(lane, windows_[lane / 2] / 4);
  }
  watch_owner();
}

// A line that has the console for itself must not keep it for ever. While our own reader is slow
// its rank's silence means nothing.
void OutputFlow::watch_owner() {
  const auto deadline = console_.deadline();
  if (!deadline || writer_.congested()) return;
  timer_.expires_at(std::chrono::steady_clock::time_point(deadline->time_since_epoch()));
  timer_.async_wait([this](const std::error_code& error) {
    if (error) return;
    console_.tick(time(), writer_);
    give_all_credit();
  });
}

void OutputFlow::end(Rank rank, Stream stream) {
  const int owned = console_.owned_sinks();
  console_.end(rank, stream, time(), writer_);
  if (console_.owned_sinks() < owned) give_all_credit();
}

void OutputFlow::say(std::string_view line) { writer_.write(Stream::err, line); }

void OutputFlow::finish(std::function<void()> done) {
  for (std::uint32_t rank = 0; rank < windows_.size(); ++rank) {
    end(Rank(rank), Stream::out);
    end(Rank(rank), Stream::err);
  }
  timer_.cancel();
  writer_.drain(std::move(done));
}

}  // namespace muster::app
