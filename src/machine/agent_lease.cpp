// The agent's part of the lease: a head that is silent for too long has gone.
#include <chrono>

#include "machine/agent_machine.hpp"
#include "machine/patience.hpp"

namespace muster::machine {

using base::Duration;
using base::Instant;

std::optional<Instant> AgentMachine::next_look() const {
  if (!options_.leased || !link_open_ || suspended_ || lease_ == Duration{0}) return std::nullopt;
  return look_at_;
}

// The first look is early enough for three in a lease: so it shows when we slept ourselves, and the
// kernel of the head's machine has something to acknowledge a while before it is asked about.
void AgentMachine::listen_anew() {
  heard_ = now_;
  look_at_ = now_ + lease_ / 2;
}

void AgentMachine::check_silence(AgentEffects& out) {
  const auto look = next_look();
  if (!look || now_ < *look) return;
  // A look that comes this late means that we slept ourselves: the head may have spoken.
  if (now_ > *look + lease_ / 4) return listen_anew();
  murmur(out);
  look_at_ = now_ + lease_ / 4;
  if (now_ >= heard_ + lease_) return out.push_back(LookForHead{lease_});
  look_at_ = std::min(look_at_, heard_ + lease_);
}

// For the kernel of the head's machine to acknowledge: no answer to any Ping.
void AgentMachine::murmur(AgentEffects& out) {
  if (state_ != State::fresh) tell(wire::Pong{}, out);
}

void AgentMachine::on(HeadSeen& event, AgentEffects& out) {
  const Duration limit = patience(lease_, event.answers);
  if (!next_look() || now_ < heard_ + limit) return;
  out.push_back(DropLink{fmt::format("nothing heard from the head for {:g} s (--lease)",
                                     std::chrono::duration<double>(limit).count())});
  LinkClosed closed;
  on(closed, out);
}

}  // namespace muster::machine
