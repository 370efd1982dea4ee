// Console, files and credit in one place, so that no byte is counted twice.
#include "head/output_flow.hpp"

#include <algorithm>
#include <ctime>
#include <unistd.h>

#include "host/clock.hpp"
#include "view/destination.hpp"

namespace muster::head {

using base::Rank;
using machine::kNowhere;
using machine::SinkId;
using wire::Stream;

namespace {

// Nobody reads, and the ranks are being ended: so much may wait here, which is more than the pipes
// of a few ranks hold.
constexpr std::size_t kLastWords = 8u << 20;

view::WallTime wall_time() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  return {now, std::chrono::seconds(local.tm_gmtoff)};
}

LaneId lane_of(Rank rank, Stream stream) {
  return 2 * LaneId{rank.value} + (stream == Stream::err ? 1 : 0);
}
Rank rank_of(LaneId lane) { return Rank(lane / 2); }
Stream stream_of(LaneId lane) { return lane % 2 == 0 ? Stream::out : Stream::err; }

std::uint32_t ranks_of(const model::Plan& plan) {
  return static_cast<std::uint32_t>(plan.ranks.size());
}

}  // namespace

OutputFlow::OutputFlow(asio::io_context& loop, const model::JobSpec& spec, const model::Plan& plan,
                       std::uint32_t window, std::optional<LogFiles> logs, OutputFlowEvents events)
    : timer_(loop),
      reader_timer_(loop),
      turn_(loop),
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
      cut_(2 * plan.ranks.size()),
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
  cut_.resize(owed_.size());
  speakers_.add(world);
  if (logs_) logs_->add(spec_, speakers_);
  add_lanes(world);
}

machine::LineTime OutputFlow::time() const {
  machine::LineTime time{host::now()};
  if (needs_time_) time.wall = wall_time();
  return time;
}

std::size_t OutputFlow::owned_sinks() const { return console_.owned_sinks() + kept_.owned_sinks(); }

bool OutputFlow::full(Rank rank, Stream stream) const {
  return (console_.full(rank, stream) && !can_wait(rank, stream) && !patience_.over()) ||
         (logs_ && kept_.full(rank, stream));
}

// Its file holds the bytes as they came, and nothing else.
bool OutputFlow::can_wait(Rank rank, Stream stream) const {
  const bool plain = logs_ && !(spec_.prefix_in_files && spec_.styled());
  return plain && logs_->can_be_read(logs_->sink_of(rank, stream));
}

void OutputFlow::begin_round() {
  std::ranges::fill(owed_, 0);
  cut_.assign(cut_.size(), false);
  patience_ = {};
  reader_timer_.stop();
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
  const LaneId lane = lane_of(rank, stream);
  const std::uint64_t kept = logs_ ? keep(rank, stream, bytes, at) : 0;
  if (!put_off(rank, stream, kept) && !dropped(rank, stream, bytes.size())) {
    console_.take(rank, stream, bytes, at, writer_);
  }
  owed_[lane] += static_cast<std::uint32_t>(bytes.size());
  if (!blocked() || can_wait(rank, stream)) give_credit(lane, windows_[rank.value] / 2);
  if (owned_sinks() < owned) give_all_credit();  // a long line has ended: all may go on
  watch_owner();
}

// How many bytes its file has got.
std::uint64_t OutputFlow::keep(Rank rank, Stream stream, std::string_view bytes,
                               machine::LineTime at) {
  const SinkId file = logs_->sink_of(rank, stream);
  if (file == kNowhere) return 0;
  const std::uint64_t before = logs_->size(file);
  kept_.take(rank, stream, bytes, at, *logs_);
  if (!told_ && !spec_.answers && !logs_->reason().empty()) {
    told_ = true;
    say("muster: " + logs_->reason() + "; the ranks continue\n");
  }
  return logs_->size(file) - before;
}

// Whether the last `size` bytes of a stream's file are for the console, but not now.
bool OutputFlow::put_off(Rank rank, Stream stream, std::uint64_t size) {
  const LaneId lane = lane_of(rank, stream);
  const bool waits = backlog_.holds(lane) || writer_.congested() || console_.full(rank, stream);
  if (!waits || !can_wait(rank, stream)) return false;
  const SinkId file = logs_->sink_of(rank, stream);
  backlog_.add(lane, file, logs_->size(file) - size, size);
  return true;
}

void OutputFlow::catch_up() {
  if (backlog_.empty()) return;
  const auto has_room = [this](LaneId lane) {
    return !writer_.congested() && !console_.full(rank_of(lane), stream_of(lane));
  };
  const auto show = [this](LaneId lane, std::string_view bytes) {
    console_.take(rank_of(lane), stream_of(lane), bytes, time(), writer_);
  };
  const auto end = [this](LaneId lane) {
    console_.end(rank_of(lane), stream_of(lane), time(), writer_);
  };
  const bool has_more = backlog_.show(*logs_, {has_room, show, end});
  if (backlog_.empty() && finished_) return close_up();
  if (!has_more) return;
  turn_.after(base::Duration(0), [this] { give_all_credit(); });
}

void OutputFlow::give_credit(LaneId lane, std::uint32_t at_least) {
  if (owed_[lane] < at_least || owed_[lane] == 0) return;
  const Rank rank = rank_of(lane);
  const Stream stream = stream_of(lane);
  if (full(rank, stream)) return;
  events_.credit(rank, stream, std::exchange(owed_[lane], 0));
}

void OutputFlow::give_all_credit() {
  catch_up();
  for (LaneId lane = 0; lane < owed_.size(); ++lane) {
    if (blocked() && !can_wait(rank_of(lane), stream_of(lane))) continue;
    give_credit(lane, windows_[lane / 2] / 4);
  }
  watch_owner();
}

// A line that has the console for itself must not keep it for ever. While our own reader is slow
// its rank's silence means nothing.
void OutputFlow::watch_owner() {
  const auto deadline = base::sooner(console_.deadline(), kept_.deadline());
  if (!deadline || blocked()) return;
  timer_.at(*deadline, [this] {
    console_.tick(time(), writer_);
    if (logs_) kept_.tick(time(), *logs_);
    give_all_credit();
  });
}

// ---- the end -----------------------------------------------------------------------------------

bool OutputFlow::blocked() const { return writer_.congested() && !patience_.over(); }

// Whoever gets no more of a stream than its beginning gets nothing from behind a gap.
bool OutputFlow::dropped(Rank rank, Stream stream, std::uint64_t size) {
  const LaneId lane = lane_of(rank, stream);
  if (console_.leads_nowhere(rank, stream)) return false;
  const bool has_room = writer_.waiting() < kLastWords && !console_.full(rank, stream);
  if (patience_.over() && !has_room) cut_[lane] = true;
  if (cut_[lane]) dropped_ += size;
  return cut_[lane];
}

machine::ReaderPatience::Reading OutputFlow::reading() const {
  return {writer_.taken(), writer_.waiting() != 0 || !backlog_.empty()};
}

void OutputFlow::stop(base::Duration grace) {
  patience_.stop(grace, host::now(), reading());
  watch_reader();
}

void OutputFlow::watch_reader() {
  const auto deadline = patience_.deadline();
  if (!deadline) return;
  reader_timer_.at(*deadline, [this] {
    patience_.look(host::now(), reading());
    if (!patience_.over()) return watch_reader();
    give_all_credit();
    if (left_) left_();
  });
}

void OutputFlow::end(Rank rank, Stream stream) {
  const std::size_t owned = owned_sinks();
  if (logs_) kept_.end(rank, stream, time(), *logs_);
  if (const LaneId lane = lane_of(rank, stream); backlog_.holds(lane)) {
    backlog_.end(lane);
  } else {
    console_.end(rank, stream, time(), writer_);
  }
  if (owned_sinks() < owned) give_all_credit();
}

std::vector<std::string> OutputFlow::troubles() const {
  std::vector<std::string> all = writer_.troubles();
  if (!logs_ || logs_->reason().empty()) return all;
  all.push_back(spec_.answers ? logs_->reason() : logs_->trouble());
  return all;
}

std::uint64_t OutputFlow::not_shown() const {
  return backlog_.missed() + backlog_.waiting() + writer_.waiting() + dropped_;
}

void OutputFlow::say(std::string_view line) {
  writer_.begin_line(ConsoleWriter::kErr);
  writer_.write(ConsoleWriter::kErr, line);
}

void OutputFlow::finish(Next next, Wait wait, std::function<void()> done) {
  for (std::uint32_t rank = 0; rank < windows_.size(); ++rank) {
    end(Rank(rank), Stream::out);
    end(Rank(rank), Stream::err);
  }
  if (wait == Wait::while_it_reads) left_ = done;
  const auto begin_line_then = [this, done] {
    writer_.begin_line(ConsoleWriter::kErr);
    writer_.drain(done);
  };
  finished_ = next == Next::words ? begin_line_then : std::move(done);
  if (backlog_.empty()) close_up();
  patience_.only_reader_left(host::now(), reading());
  if (patience_.over() && left_) return left_();
  watch_reader();
}

void OutputFlow::close_up() {
  if (spec_.xml && !windows_.empty()) writer_.write(ConsoleWriter::kOut, "</mpirun>\n");
  timer_.stop();
  writer_.drain(std::exchange(finished_, nullptr));
}

}  // namespace muster::head
