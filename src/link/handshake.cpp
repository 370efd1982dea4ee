// Lines and MACs of a meeting.
#include "link/handshake.hpp"

#include <algorithm>
#include <array>
#include <nettle/hmac.h>

namespace muster::link {
namespace {

using base::fail;
using base::Fault;
using base::Result;

constexpr std::string_view kGreeting = "muster-meeting 1 ";
constexpr std::string_view kRefused = "refused ";
constexpr std::size_t kNonce = 32;
constexpr std::size_t kMac = 64;

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

const std::uint8_t* data(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

// In a time that does not tell where they differ.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

std::string node_mac(const std::string& secret, std::string_view n0, std::string_view n1) {
  return mac(secret, fmt::format("node {} {}", n0, n1));
}

std::string head_mac(const std::string& secret, std::string_view n0, std::string_view n1) {
  return mac(secret, fmt::format("head {} {}", n1, n0));
}

// Takes a line out of the text, without its end; nothing while it is not whole.
Result<std::optional<std::string>> next_line(std::string& text) {
  const std::size_t end = text.find('\n');
  if (std::min(end, text.size()) > kLineMax) {
    return fail(Fault::unreachable, {}, "it sends something else than a muster would");
  }
  if (end == std::string::npos) return std::nullopt;
  std::string line = text.substr(0, end);
  text.erase(0, end + 1);
  return line;
}

std::string length_of(const std::string& bytes) {
  std::string length;
  for (int i = 0; i < 4; ++i) length += static_cast<char>((bytes.size() >> (8 * i)) & 0xff);
  return length;
}

}  // namespace

std::string mac(std::string_view secret, std::string_view text) {
  hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, secret.size(), data(secret));
  hmac_sha256_update(&context, text.size(), data(text));
  std::array<char, SHA256_DIGEST_SIZE> digest;
  hmac_sha256_digest(&context, digest.size(), reinterpret_cast<std::uint8_t*>(digest.data()));
  return hex({digest.data(), digest.size()});
}

std::string refusal(const base::Error& why) {
  std::string line = std::string(kRefused) + why.what;
  if (!why.hint.empty()) line += "; " + why.hint;
  std::ranges::replace(line, '\n', ' ');
  return line.substr(0, kLineMax - 1) + "\n";
}

Result<HostHandshake::Step> HostHandshake::take(std::string_view bytes) {
  waiting_ += bytes;
  return proven_ ? take_join() : take_proof();
}

Result<HostHandshake::Step> HostHandshake::take_proof() {
  const auto line = next_line(waiting_);
  if (!line) return tl::unexpected(line.error());
  if (!*line) return Step{};
  const std::string_view theirs = std::string_view(**line).substr(0, kNonce);
  const std::string expected = std::string(theirs) + " " + node_mac(secret_, nonce_, theirs);
  if (theirs.size() != kNonce || !same(**line, expected)) {
    return fail(Fault::unreachable, "give every node the same --rdzv-id, or secret file",
                "its job has another name or secret");
  }
  proven_ = true;
  std::string send = head_mac(secret_, nonce_, theirs) + "\n";
  return take_join().map([&](Step step) { return Step{send, std::move(step.join)}; });
}

Result<HostHandshake::Step> HostHandshake::take_join() {
  constexpr std::size_t kLength = 4;
  if (waiting_.size() < kLength) return Step{};
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < kLength; ++i) {
    length |= static_cast<std::uint32_t>(static_cast<unsigned char>(waiting_[i])) << (8 * i);
  }
  if (length > wire::kJoinMax) return fail(Fault::unreachable, {}, "it says more than it may");
  if (waiting_.size() < kLength + length) return Step{};
  return wire::decode_join(std::string_view(waiting_).substr(kLength, length))
      .map([](wire::Join join) {
        return Step{{}, std::move(join)};
      });
}

Result<GuestHandshake::Step> GuestHandshake::take(std::string_view bytes) {
  waiting_ += bytes;
  Step all;
  while (!all.began) {
    const auto line = next_line(waiting_);
    if (!line) return tl::unexpected(line.error());
    if (!*line) break;
    auto step = take_line(**line);
    if (!step) return step;
    all.send += step->send;
    all.began = step->began;
  }
  return all;
}

Result<GuestHandshake::Step> GuestHandshake::take_line(std::string_view line) {
  if (state_ != State::greeting && line.starts_with(kRefused)) {
    return fail(Fault::usage, {}, "{}", line.substr(kRefused.size()));
  }
  if (state_ == State::greeting) {
    if (!line.starts_with(kGreeting) || line.size() != kGreeting.size() + kNonce) {
      return fail(Fault::unreachable, "is it the address of node 0, and its port?",
                  "something else than a muster of this version listens there");
    }
    theirs_ = line.substr(kGreeting.size());
    state_ = State::proof;
    return Step{node_mac(secret_, theirs_, nonce_) + "\n"};
  }
  if (state_ == State::proof) {
    if (line.size() != kMac || !same(line, head_mac(secret_, theirs_, nonce_))) {
      return fail(Fault::unreachable, "give every node the same --rdzv-id, or secret file",
                  "the job there has another name or secret");
    }
    state_ = State::waiting;
    return Step{length_of(join_) + join_};
  }
  if (line == "begin") return Step{{}, true};
  return fail(Fault::unreachable, {}, "it sends something else than a muster would");
}

}  // namespace muster::link
