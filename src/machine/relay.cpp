// Reads a launcher's frames, and makes those that go to it.
#include "machine/relay.hpp"

#include <algorithm>
#include <csignal>

#include "base/check.hpp"
#include "model/carriers.hpp"

namespace muster::machine {

using base::Error;
using base::Instant;
using base::NodeIndex;

namespace {

const Error kLeft{base::Fault::lost, "the launcher has left it", {}, {}};

}  // namespace

void answer(const LauncherId& launcher, std::string_view bytes, HeadEffects& out) {
  do {
    const std::string_view part = bytes.substr(0, wire::kLauncherBytesMax);
    bytes.remove_prefix(part.size());
    out.push_back(ToNode{launcher.host, wire::ToLauncher{launcher.connection, std::string(part)},
                         launcher.run});
  } while (!bytes.empty());
}

// ---- the launcher -----------------------------------------------------------------------------

void Relay::begin(RunEffects& out) const {
  out.push_back(AnswerLauncher{std::string(wire::kMagic)});
}

void Relay::take(std::string_view bytes, RunEffects& out) {
  reader_.feed(bytes);
  while (!over_) {
    auto message = reader_.next();
    if (message && !*message) return;
    const wire::Address& to = reader_.address();
    if (message && to.run == base::kFirstRun && !to.hosts.empty()) {
      pass(to, std::move(**message), out);
    } else {
      hang_up(out);
    }
  }
}

void Relay::hang_up(RunEffects& out) {
  if (over_) return;
  for (const auto& [number, node] : std::map(asked_)) release(node, {}, out);
  out.push_back(AnswerLauncher{});
  over_ = true;
}

void Relay::pass(const wire::Address& to, wire::ToAgent message, RunEffects& out) {
  if (auto* reach = std::get_if<wire::Reach>(&message)) {
    if (to.hosts.is_one()) carry(NodeIndex(to.hosts.ranges().front().first), *reach, out);
    return;
  }
  std::vector<NodeIndex> nodes = nodes_of(to.hosts);
  if (std::holds_alternative<wire::Release>(message)) message = wire::Bye{};
  if (const auto* bye = std::get_if<wire::Bye>(&message)) {
    for (const NodeIndex node : nodes) release(node, *bye, out);
    return;
  }
  std::erase_if(nodes, [&](NodeIndex node) { return !is_up(node); });
  if (std::holds_alternative<wire::Hello>(message)) greet(nodes);
  if (!nodes.empty()) out.push_back(ToNodes{std::move(nodes), std::move(message)});
}

void Relay::carry(NodeIndex number, wire::Reach& reach, RunEffects& out) {
  const NodeIndex node(nodes_.size());
  if (!asked_.emplace(number, node).second) return;
  nodes_.push_back({number});
  model::Host host;
  host.name = std::move(reach.name);
  host.user = std::move(reach.user);
  host.port = reach.port;
  host.carrier = model::kOpened;
  out.push_back(CallHost{node, std::move(host)});
}

void Relay::greet(const std::vector<NodeIndex>& nodes) {
  for (const NodeIndex node : nodes) nodes_[node.value].state = State::greeted;
}

// The host is not the launcher's any more, whatever its agent still has to do. To an agent that has
// not been greeted there is nothing to say.
void Relay::release(NodeIndex node, wire::Bye bye, RunEffects& out) {
  if (nodes_[node.value].state == State::greeted) {
    out.push_back(FreeHost{node, std::move(bye)});
  } else {
    out.push_back(NotAwaited{node});
  }
  forget(node, kLeft, out);
}

bool Relay::is_up(NodeIndex node) const {
  const State state = nodes_[node.value].state;
  return state == State::up || state == State::greeted;
}

std::vector<NodeIndex> Relay::nodes_of(const wire::HostSet& numbers) const {
  std::vector<NodeIndex> found;
  for (const auto& [number, node] : asked_) {
    if (numbers.contains(number)) found.push_back(node);
  }
  std::ranges::sort(found);
  return found;
}

// ---- its hosts --------------------------------------------------------------------------------

void Relay::up(NodeIndex node, RunEffects& out) {
  if (nodes_[node.value].state != State::reaching) return;
  nodes_[node.value].state = State::up;
  answer(node, wire::Reached{}, out);
}

// The launcher may have a way of its own.
void Relay::refused(NodeIndex node, RunEffects& out) {
  forget(node, {base::Fault::usage, "it is no host of the job", {}, {}}, out);
}

void Relay::missed(NodeIndex node, Error error, Instant now, RunEffects& out) {
  lost(node, std::move(error), now, out);
}

void Relay::lost(NodeIndex node, Error error, Instant, RunEffects& out) {
  if (nodes_[node.value].state == State::gone) return;
  out.push_back(NotAwaited{node});
  forget(node, std::move(error), out);
}

void Relay::forget(NodeIndex node, Error why, RunEffects& out) {
  answer(node, wire::Unreached{std::move(why)}, out);
  nodes_[node.value].state = State::gone;
  asked_.erase(nodes_[node.value].number);
}

void Relay::heard(NodeIndex node, const wire::ToHead& message, RunEffects& out) const {
  if (is_up(node)) answer(node, message, out);
}

void Relay::suspend(bool suspended, RunEffects& out) const {
  std::vector<NodeIndex> nodes;
  for (const auto& [number, node] : asked_) {
    if (is_up(node)) nodes.push_back(node);
  }
  if (nodes.empty()) return;
  std::ranges::sort(nodes);
  out.push_back(ToNodes{nodes, wire::Signal{suspended ? SIGSTOP : SIGCONT}});
  out.push_back(ToNodes{nodes, wire::Suspend{suspended}});
}

wire::Address Relay::from(NodeIndex node) const {
  return {base::kFirstRun, wire::HostSet(nodes_[node.value].number)};
}

void Relay::answer(NodeIndex node, const wire::ToHead& message, RunEffects& out) const {
  AnswerLauncher made;
  wire::append(made.bytes, message, from(node));
  out.push_back(std::move(made));
}

void Relay::check() const {
  CHECK(!over_ || asked_.empty());
  std::size_t asked = 0;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].state == State::gone) continue;
    ++asked;
    const auto found = asked_.find(nodes_[i].number);
    CHECK(found != asked_.end() && found->second == NodeIndex(i));
  }
  CHECK(asked == asked_.size());
}

}  // namespace muster::machine
