// Reads pieces of files again, in the order in which they were written.
#include "head/backlog.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace muster::head {

namespace {
constexpr std::size_t kShownAtOnce = 4u << 20;  // bytes; then others have their turn
constexpr std::uint64_t kEndsShown = 1u << 20;  // bytes of all lanes, if there is no time for more
constexpr std::uint64_t kEndShown = 4u << 10;   // of each lane, at the least
}  // namespace

void Backlog::add(LaneId lane, machine::SinkId file, std::uint64_t at, std::uint64_t size) {
  Pieces& pieces = lanes_[lane];
  const bool goes_on =
      !pieces.empty() && pieces.back().file == file && pieces.back().at + pieces.back().size == at;
  if (goes_on) {
    pieces.back().size += size;
  } else {
    pieces.push_back({file, at, size});
  }
}

void Backlog::end(LaneId lane) { lanes_[lane].push_back({machine::kNowhere, 0, 0}); }

bool Backlog::show(const LogFiles& files, const Console& console) {
  std::size_t shown = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (auto at = lanes_.begin(); at != lanes_.end();) {
      if (shown >= kShownAtOnce) return true;
      auto& [lane, pieces] = *at;
      if (!console.has_room(lane)) {
        ++at;
        continue;
      }
      shown += show_some(lane, pieces, files, console);
      moved = true;
      at = pieces.empty() ? lanes_.erase(at) : std::next(at);
    }
  }
  return false;
}

std::size_t Backlog::show_some(LaneId lane, Pieces& pieces, const LogFiles& files,
                               const Console& console) {
  Piece& piece = pieces.front();
  if (piece.file == machine::kNowhere) {
    pieces.pop_front();
    console.end(lane);
    return 0;
  }
  const std::size_t wanted = std::min<std::uint64_t>(piece.size, buffer_.size());
  const std::size_t got = files.read(piece.file, piece.at, std::span(buffer_).first(wanted));
  piece.at += got;
  piece.size -= got;
  if (got == 0) missed_ += std::exchange(piece.size, 0);  // somebody has cut the file short
  if (piece.size == 0) pieces.pop_front();
  if (got != 0) console.show(lane, {buffer_.data(), got});
  return got;
}

void Backlog::leave_out() {
  if (lanes_.empty()) return;
  const std::uint64_t most = std::max(kEndShown, kEndsShown / lanes_.size());
  for (auto& [lane, pieces] : lanes_) {
    std::uint64_t left = most;
    for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
      const std::uint64_t skipped = piece->size - std::min(piece->size, left);
      piece->at += skipped;
      piece->size -= skipped;
      missed_ += skipped;
      left -= piece->size;
    }
    std::erase_if(pieces,
                  [](const Piece& one) { return one.size == 0 && one.file != machine::kNowhere; });
  }
}

std::uint64_t Backlog::waiting() const {
  std::uint64_t bytes = 0;
  for (const auto& [lane, pieces] : lanes_) {
    for (const Piece& piece : pieces) bytes += piece.size;
  }
  return bytes;
}

}  // namespace muster::head
