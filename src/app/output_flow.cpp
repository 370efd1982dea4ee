// Console, files and credit in one place, so that no byte is counted twice.
#include "app/output_flow.hpp"

#include <algorithm>
#include <ctime>
#include <unistd.h>

#include "app/clock.hpp"
#include "view/destination.hpp"

namespace muster::app {

using base::Rank;
using machine::kNowhere;
using machine::SinkId;
using wire::Stream;

namespace {

view::WallTime wall_time() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  return {now, std::chrono::seconds(local.tm_gmtoff)};
}

std::uint32_t ranks_of(const model::Plan& plan) {
  return static_cast<std::uint32_t>(plan.ranks.size());
}

}  // namespace

OutputFlow::OutputFlow(asio::io_context& loop, const model::JobSpec& spec, const model::Plan& plan,
                       std::uint32_t window, std::optional<LogFiles> logs, OutputFlowEvents events)
    : timer_(loop),
      events_(std::move(events)),
      spec_(spec.output),
      needs_time_(view::tells_time(spec_.prefix)),
      writer_(
          loop, [this] { give_all_credit(); }, events_.closed),
      speakers_(plan, spec.apps),
      console_(spec_, speakers_, ::isatty(STDOUT_FILENO) == 1),
      logs_(std::move(logs)),
      kept_(spec_, speakers_, false),
      windows_(ranks_of(plan), window),
      owed_(2 * plan.ranks.size()) {
  add_lanes(speakers_.worlds().front());
  if (spec_.xml && !windows_.empty()) writer_.write(ConsoleWriter::kOut, "<mpirun>\n");
}

void OutputFlow::add_lanes(const model::World& world) {
  for (std::uint32_t own = 0; own < world.size; ++own) {
    const Rank rank(world.first.value + own);
    const view::Speaker speaker = speakers_.of(rank);
    for (const Stream stream : {Stream::out, Stream::err}) {
      const model::Route& route = view::route_of(spec_, speaker, stream);
      const SinkId shown = ConsoleWriter::sink_of(view::shown_on(spec_, stream));
      console_.add(route.console ? shown : kNowhere, route.prefix && spec_.styled());
      if (logs_) {
        kept_.add(logs_->sink_of(rank, stream), spec_.prefix_in_files && spec_.styled());
      }
    }
  }
}

void OutputFlow::add(const model::World& world, std::uint32_t window) {
  windows_.resize(windows_.size() + world.size, window);
  owed_.resize(2 * windows_.size());
  speakers_.add(world);
  if (logs_) logs_->add(spec_, speakers_);
  add_lanes(world);
}

machine::LineTime OutputFlow::time() const {
  machine::LineTime time{now()};
  if (needs_time_) time.wall = wall_time();
  return time;
}

std::size_t OutputFlow::owned_sinks() const { return console_.owned_sinks() + kept_.owned_sinks(); }

bool OutputFlow::full(Rank rank, Stream stream) const {
  return console_.full(rank, stream) || (logs_ && kept_.full(rank, stream));
}

void OutputFlow::begin_round() {
  std::ranges::fill(owed_, 0);
  speakers_.set_attempt(++rounds_);
  if (!logs_) return;
  logs_->begin_round(spec_, speakers_);
  for (std::uint32_t i = 0; i < windows_.size(); ++i) {
    for (const Stream stream : {Stream::out, Stream::err}) {
      kept_.redirect(Rank(i), stream, logs_->sink_of(Rank(i), stream));
    }
  }
}

void OutputFlow::take(Rank rank, Stream stream, std::string_view bytes) {
  const std::size_t owned = owned_sinks();
  const machine::LineTime at = time();
  if (logs_) kept_.take(rank, stream, bytes, at, *logs_);
  console_.take(rank, stream, bytes, at, writer_);
  const std::size_t lane = 2 * rank.value + (stream == Stream::err ? 1 : 0);
  owed_[lane] += static_cast<std::uint32_t>(bytes.size());
  if (!writer_.congested()) give_credit(lane, windows_[rank.value] / 2);
  if (owned_sinks() < owned) give_all_credit();  // a long line has ended: all may go on
  watch_owner();
}

void OutputFlow::give_credit(std::size_t lane, std::uint32_t at_least) {
  if (owed_[lane] < at_least || owed_[lane] == 0) return;
  const Rank rank(lane / 2);
  const Stream stream = lane % 2 == 0 ? Stream::out : Stream::err;
  if (full(rank, stream)) return;
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
  const auto deadline = base::sooner(console_.deadline(), kept_.deadline());
  if (!deadline || writer_.congested()) return;
  timer_.at(*deadline, [this] {
    console_.tick(time(), writer_);
    if (logs_) kept_.tick(time(), *logs_);
    give_all_credit();
  });
}

void OutputFlow::end(Rank rank, Stream stream) {
  const std::size_t owned = owned_sinks();
  if (logs_) kept_.end(rank, stream, time(), *logs_);
  console_.end(rank, stream, time(), writer_);
  if (owned_sinks() < owned) give_all_credit();
}

void OutputFlow::say(std::string_view line) { writer_.write(ConsoleWriter::kErr, line); }

void OutputFlow::finish(std::function<void()> done) {
  for (std::uint32_t rank = 0; rank < windows_.size(); ++rank) {
    end(Rank(rank), Stream::out);
    end(Rank(rank), Stream::err);
  }
  if (spec_.xml && !windows_.empty()) writer_.write(ConsoleWriter::kOut, "</mpirun>\n");
  timer_.stop();
  writer_.drain(std::move(done));
}

}  // namespace muster::app
