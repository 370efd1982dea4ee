// Holds, styles and passes lines; see the header for the rules.
#include "machine/lines.hpp"

#include <algorithm>
#include <utility>

#include "view/line.hpp"

namespace muster::machine {

using base::Rank;
using model::Stream;

void Lines::add(SinkId sink, bool styled) {
  lanes_.push_back({{}, sink, styled});
  if (sink == kNowhere) return;
  if (sink >= users_.size()) users_.resize(sink + 1);
  ++users_[sink];
}

void Lines::redirect(Rank rank, Stream stream, SinkId sink) {
  Lane& lane = lanes_[id(rank, stream)];
  if (lane.sink != kNowhere) --users_[lane.sink];
  lane.held.clear();
  lane.sink = sink;
  if (sink == kNowhere) return;
  if (sink >= users_.size()) users_.resize(sink + 1);
  ++users_[sink];
}

const Lines::Owner* Lines::owner(SinkId sink) const {
  const auto found = std::ranges::find(owners_, sink, &Owner::sink);
  return found == owners_.end() ? nullptr : &*found;
}

void Lines::open_line(LaneId lane, const LineTime& time) {
  if (!lanes_[lane].styled) return;
  view::open_line(scratch_, style_, speakers_.of(Rank(lane / 2)), stream(lane), time.wall);
}

void Lines::take(Rank rank, Stream stream, std::string_view bytes, LineTime time, LineSink& sink) {
  const LaneId lane = id(rank, stream);
  const Lane& its = lanes_[lane];
  if (its.sink == kNowhere) return;
  if (!its.styled && !shared(its)) return sink.write(its.sink, bytes);
  take(lane, bytes, time, sink);
}

void Lines::take(LaneId lane, std::string_view bytes, LineTime time, LineSink& sink) {
  const Owner* owned = owner(lanes_[lane].sink);
  if (owned == nullptr) return pass(lane, bytes, time, sink);
  if (owned->lane == lane) return go_on_long(lane, bytes, time, sink);
  lanes_[lane].held.append(bytes);
}

// One past the end of the last whole line; 0 when there is none.
std::size_t Lines::line_end(std::string_view bytes) const {
  const std::size_t newline = bytes.rfind('\n');
  std::size_t end = newline == std::string_view::npos ? 0 : newline + 1;
  if (live_ && end < bytes.size()) {
    // A return at the very end may be the first half of "\r\n": it waits.
    const std::size_t back = bytes.rfind('\r', bytes.size() - 2);
    if (bytes.size() > 1 && back != std::string_view::npos && back >= end) end = back + 1;
  }
  return end;
}

void Lines::pass(LaneId lane, std::string_view bytes, LineTime time, LineSink& sink) {
  std::string& start = lanes_[lane].held;
  if (!start.empty()) {
    // The held start of a line and its end leave together.
    const std::size_t newline = bytes.find('\n');
    const std::size_t cut = newline == std::string_view::npos ? bytes.size() : newline + 1;
    const bool returns = live_ && (start.back() == '\r' || bytes.find('\r') != bytes.npos);
    const bool ends = newline != std::string_view::npos || returns;
    start.append(bytes.substr(0, cut));
    bytes.remove_prefix(cut);
    if (const std::size_t end = ends ? line_end(start) : 0; end != 0) {
      whole_lines(lane, std::string_view(start).substr(0, end), time, sink);
      start.erase(0, end);
    }
  }
  if (const std::size_t end = line_end(bytes); end != 0) {
    whole_lines(lane, bytes.substr(0, end), time, sink);
    bytes.remove_prefix(end);
  }
  start.append(bytes);
  if (start.size() > kLineMax) begin_long(lane, time, sink);
}

void Lines::whole_lines(LaneId lane, std::string_view lines, LineTime time, LineSink& sink) {
  const Lane& its = lanes_[lane];
  if (!its.styled) return sink.write(its.sink, lines);
  scratch_.clear();
  while (!lines.empty()) {
    const std::size_t newline = lines.find('\n');
    const std::size_t cut = newline == std::string_view::npos ? lines.size() : newline + 1;
    open_line(lane, time);
    view::append_text(scratch_, style_, lines.substr(0, cut));
    view::close_line(scratch_, style_, stream(lane));
    lines.remove_prefix(cut);
  }
  sink.write(its.sink, scratch_);
}

// ---- long lines ---------------------------------------------------------------------------------

void Lines::begin_long(LaneId lane, LineTime time, LineSink& sink) {
  Lane& its = lanes_[lane];
  owners_.push_back({its.sink, lane, time.now});
  scratch_.clear();
  open_line(lane, time);
  if (!scratch_.empty()) sink.write(its.sink, scratch_);
  write_piece(lane, std::exchange(its.held, {}), false, sink);
}

// The line's end, where it comes, is in the piece, or is made by us.
void Lines::write_piece(LaneId lane, std::string_view bytes, bool ends, LineSink& sink) {
  const Lane& its = lanes_[lane];
  if (!its.styled || !style_.xml) return sink.write(its.sink, bytes);
  scratch_.clear();
  view::append_text(scratch_, style_, bytes);
  if (ends) view::close_line(scratch_, style_, stream(lane));
  sink.write(its.sink, scratch_);
}

void Lines::go_on_long(LaneId lane, std::string_view bytes, LineTime time, LineSink& sink) {
  Lane& its = lanes_[lane];
  std::ranges::find(owners_, its.sink, &Owner::sink)->heard = time.now;
  const std::size_t newline = bytes.find('\n');
  if (newline == std::string_view::npos) return write_piece(lane, bytes, false, sink);
  write_piece(lane, bytes.substr(0, newline + 1), true, sink);
  its.held.assign(bytes.substr(newline + 1));
  release(its.sink, time, sink);
}

void Lines::release(SinkId freed, LineTime time, LineSink& sink) {
  std::erase_if(owners_, [&](const Owner& one) { return one.sink == freed; });
  for (LaneId lane = 0; lane < lanes_.size(); ++lane) {
    if (lanes_[lane].sink != freed || lanes_[lane].held.empty()) continue;
    const std::string bytes = std::exchange(lanes_[lane].held, {});
    take(lane, bytes, time, sink);
  }
}

void Lines::end(Rank rank, Stream stream, LineTime time, LineSink& sink) {
  const LaneId lane = id(rank, stream);
  Lane& its = lanes_[lane];
  if (its.sink == kNowhere) return;
  const Owner* owned = owner(its.sink);
  if (owned != nullptr && owned->lane == lane) {
    write_piece(lane, shared(its) ? "\n" : "", true, sink);
    return release(its.sink, time, sink);
  }
  if (its.held.empty()) return;
  if (shared(its) && its.held.back() != '\n') its.held.push_back('\n');
  if (owned != nullptr) return;  // leaves when the sink is free again
  whole_lines(lane, std::exchange(its.held, {}), time, sink);
}

bool Lines::full(Rank rank, Stream stream) const {
  if (owners_.empty()) return false;
  const LaneId lane = id(rank, stream);
  const Owner* owned = owner(lanes_[lane].sink);
  if (owned == nullptr || owned->lane == lane) return false;
  return lanes_[lane].held.size() >= kHeldMax;
}

std::optional<base::Instant> Lines::deadline() const {
  std::optional<base::Instant> soonest;
  for (const Owner& one : owners_) soonest = base::sooner(soonest, one.heard + kOwnerSilence);
  return soonest;
}

void Lines::tick(LineTime time, LineSink& sink) {
  const std::vector<Owner> owners = owners_;
  for (const Owner& one : owners) {
    if (time.now < one.heard + kOwnerSilence) continue;
    write_piece(one.lane, "\n", true, sink);
    release(one.sink, time, sink);
  }
}

}  // namespace muster::machine
