// Holds, prefixes and passes lines; see the header for the rules.
#include "machine/console.hpp"

#include "view/prefix.hpp"

namespace muster::machine {

using base::Rank;
using wire::Stream;

Console::Console(model::OutputSpec output, std::uint32_t world_size, bool live)
    : output_(std::move(output)),
      worlds_{{1, Rank(0), world_size}},
      world_size_(world_size),
      live_(live),
      held_(2 * std::size_t{world_size}) {}

void Console::add(const model::World& world) {
  worlds_.push_back(world);
  world_size_ += world.size;
  held_.resize(2 * std::size_t{world_size_});
}

void Console::append_prefix(Rank rank, std::chrono::system_clock::time_point wall) {
  view::append_prefix(scratch_, output_, rank, model::world_of(worlds_, rank), wall);
}

std::optional<Console::Owner>& Console::owner(Stream stream) {
  return stream == Stream::out ? out_owner_ : err_owner_;
}

const std::optional<Console::Owner>& Console::owner(Stream stream) const {
  return stream == Stream::out ? out_owner_ : err_owner_;
}

std::string& Console::held(Lane lane) {
  return held_[2 * lane.first.value + (lane.second == Stream::err ? 1 : 0)];
}

void Console::take(Rank rank, Stream stream, std::string_view bytes, ConsoleTime time,
                   ConsoleSink& sink) {
  if (world_size_ == 1 && !output_.tag && !output_.timestamp) return sink.write(stream, bytes);
  const Lane lane{rank, stream};
  auto& owned = owner(stream);
  if (!owned) return pass(lane, bytes, time, sink);
  if (owned->rank == rank) return own(lane, bytes, time, sink);
  held(lane).append(bytes);
}

// One past the end of the last whole line; 0 when there is none.
std::size_t Console::line_end(std::string_view bytes) const {
  const std::size_t newline = bytes.rfind('\n');
  std::size_t end = newline == std::string_view::npos ? 0 : newline + 1;
  if (live_ && end < bytes.size()) {
    // A return at the very end may be the first half of "\r\n": it waits.
    const std::size_t back = bytes.rfind('\r', bytes.size() - 2);
    if (bytes.size() > 1 && back != std::string_view::npos && back >= end) end = back + 1;
  }
  return end;
}

void Console::pass(Lane lane, std::string_view bytes, ConsoleTime time, ConsoleSink& sink) {
  std::string& start = held(lane);
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
  if (start.size() <= kLineMax) return;
  owner(lane.second) = Owner{lane.first, time.now};
  scratch_.clear();
  append_prefix(lane.first, time.wall);
  scratch_.append(start);
  sink.write(lane.second, scratch_);
  start = {};
}

void Console::whole_lines(Lane lane, std::string_view lines, ConsoleTime time, ConsoleSink& sink) {
  if (!output_.tag && !output_.timestamp) return sink.write(lane.second, lines);
  scratch_.clear();
  while (!lines.empty()) {
    const std::size_t newline = lines.find('\n');
    const std::size_t cut = newline == std::string_view::npos ? lines.size() : newline + 1;
    append_prefix(lane.first, time.wall);
    scratch_.append(lines.substr(0, cut));
    lines.remove_prefix(cut);
  }
  sink.write(lane.second, scratch_);
}

void Console::own(Lane lane, std::string_view bytes, ConsoleTime time, ConsoleSink& sink) {
  owner(lane.second)->heard = time.now;
  const std::size_t newline = bytes.find('\n');
  if (newline == std::string_view::npos) return sink.write(lane.second, bytes);
  sink.write(lane.second, bytes.substr(0, newline + 1));
  held(lane).assign(bytes.substr(newline + 1));
  release(lane.second, time, sink);
}

void Console::release(Stream stream, ConsoleTime time, ConsoleSink& sink) {
  owner(stream).reset();
  for (std::uint32_t rank = 0; rank < world_size_; ++rank) {
    const Lane lane{Rank(rank), stream};
    if (held(lane).empty()) continue;
    const std::string bytes = std::exchange(held(lane), {});
    take(lane.first, stream, bytes, time, sink);
  }
}

void Console::end(Rank rank, Stream stream, ConsoleTime time, ConsoleSink& sink) {
  const Lane lane{rank, stream};
  auto& owned = owner(stream);
  if (owned && owned->rank == rank) {
    if (world_size_ > 1) sink.write(stream, "\n");
    return release(stream, time, sink);
  }
  std::string& rest = held(lane);
  if (rest.empty()) return;
  if (world_size_ > 1 && rest.back() != '\n') rest.push_back('\n');
  if (owned) return;  // leaves when the sink is free again
  whole_lines(lane, rest, time, sink);
  rest = {};
}

bool Console::full(Rank rank, Stream stream) const {
  const auto& owned = owner(stream);
  if (!owned || owned->rank == rank) return false;
  return held_[2 * rank.value + (stream == Stream::err ? 1 : 0)].size() >= kHeldMax;
}

std::optional<base::Instant> Console::deadline() const {
  std::optional<base::Instant> soonest;
  if (out_owner_) soonest = out_owner_->heard + kOwnerSilence;
  if (err_owner_) soonest = base::sooner(soonest, err_owner_->heard + kOwnerSilence);
  return soonest;
}

void Console::tick(ConsoleTime time, ConsoleSink& sink) {
  for (const Stream stream : {Stream::out, Stream::err}) {
    const auto& owned = owner(stream);
    if (!owned || time.now < owned->heard + kOwnerSilence) continue;
    sink.write(stream, "\n");
    release(stream, time, sink);
  }
}

}  // namespace muster::machine
