// Handshake: two musters connected over TCP prove to each other that they know the job's secret.
//
//   node k   "N1 "                                N0, N1: 32 hex digits, fresh
//   node 0   "muster-meeting 1 N0\n"
//   node k   "MAC(node N0 N1)\n"                  MAC: HMAC-SHA256 under the secret, 64 hex digits
//   node 0   "MAC(head N1 N0)\n"                  or "refused WHY\n", here and below
//   node k   length u32 LE, wire::Join            at most wire::kJoinMax
//   node 0   "begin\n"                            once all nodes are there
//
// Node 0 may be the head of hosts that come to it (`muster lead`), and node k such a host (`muster
// join`), as its Join says. Then the link begins, with node k as the agent. Lines are at most
// kLineMax long. What is said later is not protected: the secret keeps strangers and other jobs
// apart, not eavesdroppers. Node k begins, so that node 0 need not look at connections of those who
// say nothing; it greets also one who waits for that.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "wire/join.hpp"

namespace muster::link {

inline constexpr std::size_t kLineMax = 512;

// 64 hex digits.
[[nodiscard]] std::string mac(std::string_view secret, std::string_view text);

// Node 0's side of one connection.
class HostHandshake {
 public:
  HostHandshake(std::string secret, std::string nonce)
      : secret_(std::move(secret)), nonce_(std::move(nonce)) {}

  [[nodiscard]] std::string greeting() const { return "muster-meeting 1 " + nonce_ + "\n"; }
  struct Step {
    std::string send;
    std::optional<wire::Join> join;  // the other side has said all
  };
  // Takes what has come. An error: the connection is to be ended, after its words were sent.
  [[nodiscard]] base::Result<Step> take(std::string_view bytes);
  // It has shown that it is of this job.
  [[nodiscard]] bool known() const { return proven_; }

 private:
  [[nodiscard]] base::Result<Step> take_proof();
  [[nodiscard]] base::Result<Step> take_join();

  std::string secret_;
  std::string nonce_;
  std::string waiting_;
  bool proven_ = false;
};

[[nodiscard]] std::string refusal(const base::Error& why);

// The side of a node that comes.
class GuestHandshake {
 public:
  GuestHandshake(std::string secret, std::string nonce, const wire::Join& join)
      : secret_(std::move(secret)), nonce_(std::move(nonce)), join_(wire::encode(join)) {}

  // What it says first, whoever listens there.
  [[nodiscard]] std::string opening() const { return nonce_ + " "; }
  struct Step {
    std::string send;
    bool began = false;
  };
  // Fault::unreachable: it is no muster, or knows another secret; Fault::usage: it refuses us.
  [[nodiscard]] base::Result<Step> take(std::string_view bytes);
  // It is a muster's meeting that listens there.
  [[nodiscard]] bool greeted() const { return state_ != State::greeting; }
  // Node 0 has shown that it is of this job.
  [[nodiscard]] bool known() const { return state_ == State::waiting; }

 private:
  enum class State { greeting, proof, waiting };
  [[nodiscard]] base::Result<Step> take_line(std::string_view line);

  std::string secret_;
  std::string nonce_;
  std::string join_;
  std::string theirs_;  // node 0's nonce
  std::string waiting_;
  State state_ = State::greeting;
};

}  // namespace muster::link
