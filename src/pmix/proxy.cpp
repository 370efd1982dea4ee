// Two descriptors for each rank, level triggered: a host has at most some hundred ranks, and they
// talk little once the world has formed.
#include "pmix/proxy.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pmix/loopback_peer.hpp"
#include "process/shortage.hpp"

namespace muster::pmix {

namespace {

constexpr std::size_t kPieceBytes = 64u << 10;
constexpr std::size_t kAcceptedAtOnce = 64;
constexpr rlim_t kSilentMax = 512;  // connections without a greeting, which comes at once
constexpr rlim_t kSilentShare = 4;  // they get at most one descriptor in four
constexpr short kCame = POLLIN | POLLHUP | POLLERR;

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

// What could be sent; all of it when the other end is gone, since nobody misses it.
std::size_t send_some(int socket, std::string_view bytes) {
  const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  return would_block() ? 0 : bytes.size();
}

// poll() takes no more entries than this process may have descriptors.
std::size_t silent_max() {
  rlimit files{};
  const bool is_known = ::getrlimit(RLIMIT_NOFILE, &files) == 0;
  return is_known ? std::clamp<rlim_t>(files.rlim_cur / kSilentShare, 1, kSilentMax) : kSilentMax;
}

}  // namespace

// The greeting is a message like all others: process (4 bytes), tag (4), length (4), padding (4),
// in the machine's own byte order, then as many bytes as it says.
std::optional<std::size_t> greeting_size(std::string_view bytes) {
  constexpr std::size_t kGreetingHeader = 16, kLengthAt = 8;
  constexpr std::uint32_t kGreetingMax = 128u << 10;  // the library's own limit
  if (bytes.size() < kGreetingHeader) return 0;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + kLengthAt, sizeof length);
  if (length > kGreetingMax) return std::nullopt;
  return kGreetingHeader + length;
}

Proxy::Proxy(process::UniqueFd listener, const Gate& gate)
    : listener_(std::move(listener)), gate_(gate), silent_max_(silent_max()) {}

void Proxy::wanted(std::vector<pollfd>& entries) const {
  entries.push_back({listener_.get(), POLLIN, 0});
  const auto side = [&](const process::UniqueFd& fd, const Way& out_of, const Way& into) {
    short events = 0;
    if (out_of.held.empty() && !out_of.ended) events |= POLLIN;
    if (!into.held.empty()) events |= POLLOUT;
    // A negative descriptor is not waited for: with no events, poll would still report hang-ups.
    entries.push_back({events == 0 ? -1 : fd.get(), events, 0});
  };
  for (const Pair& pair : pairs_) {
    if (pair.library) {
      side(pair.rank, pair.inward, pair.outward);
      side(pair.library, pair.outward, pair.inward);
    } else {
      entries.push_back({pair.rank.get(), POLLIN, 0});
    }
  }
}

base::Result<void> Proxy::served(const pollfd* entries) {
  const pollfd* entry = entries + 1;
  for (auto pair = pairs_.begin(); pair != pairs_.end();) {
    const short rank = (entry++)->revents;
    if (!pair->library) {
      if (rank != 0) {
        if (auto greeted = greet(*pair); !greeted) return greeted;
      }
    } else {
      const short library = (entry++)->revents;
      if ((rank & kCame) != 0 || (library & POLLOUT) != 0) {
        carry(pair->rank, pair->library, pair->inward);
      }
      if ((library & kCame) != 0 || (rank & POLLOUT) != 0) {
        carry(pair->library, pair->rank, pair->outward);
      }
    }
    pair = is_over(*pair) ? pairs_.erase(pair) : std::next(pair);
  }
  if (entries->revents != 0) accept_some();
  return {};
}

// No more at once than are kept: nobody leaves for those that came with it before its greeting,
// which may be there already, has been read.
void Proxy::accept_some() {
  const std::size_t most = std::min(kAcceptedAtOnce, silent_max_);
  for (std::size_t i = 0; i < most; ++i) {
    process::UniqueFd made(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!made && (would_block() || !process::lacks_room(errno) || !make_room(1))) return;
    if (!made || loopback_peer(made.get()) != ::geteuid()) continue;
    make_room(silent_max_);
    pairs_.push_back({std::move(made), {}, {}, {}});
  }
}

// The oldest of the connections that have not greeted goes, if there are `most`. False: there are
// fewer.
bool Proxy::make_room(std::size_t most) {
  const auto is_silent = [](const Pair& pair) { return !pair.library; };
  if (static_cast<std::size_t>(std::ranges::count_if(pairs_, is_silent)) < most) return false;
  pairs_.erase(std::ranges::find_if(pairs_, is_silent));
  return true;
}

base::Result<void> Proxy::greet(Pair& pair) {
  std::array<char, kPieceBytes> piece;
  const ssize_t got = ::recv(pair.rank.get(), piece.data(), piece.size(), MSG_DONTWAIT);
  if (got < 0 && would_block()) return {};
  if (got > 0) pair.inward.held.append(piece.data(), static_cast<std::size_t>(got));
  const auto size = greeting_size(pair.inward.held);
  pair.inward.ended = got <= 0 || !size;
  if (pair.inward.ended || *size == 0 || pair.inward.held.size() < *size) return {};
  auto entered = gate_.enter();
  if (!entered) return tl::unexpected(entered.error());
  pair.library = std::move(*entered);
  carry(pair.rank, pair.library, pair.inward);
  return {};
}

void Proxy::carry(const process::UniqueFd& from, const process::UniqueFd& to, Way& way) {
  if (!way.held.empty()) {
    way.held.erase(0, send_some(to.get(), way.held));
    return;
  }
  if (way.ended) return;
  std::array<char, kPieceBytes> piece;
  const ssize_t got = ::recv(from.get(), piece.data(), piece.size(), MSG_DONTWAIT);
  if (got < 0 && would_block()) return;
  if (got <= 0) {
    way.ended = true;
    return;
  }
  const std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
  way.held = bytes.substr(send_some(to.get(), bytes));
}

// What one side said last still reaches the other; what that one would answer has no reader.
bool Proxy::is_over(const Pair& pair) {
  const auto done = [](const Way& way) { return way.ended && way.held.empty(); };
  if (!pair.library) return pair.inward.ended;
  return done(pair.inward) || done(pair.outward);
}

}  // namespace muster::pmix
