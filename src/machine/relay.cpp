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

void Relay::take(std::string_view bytes) { reader_.feed(bytes); }

bool Relay::next(RunEffects& out) {
  if (over_) return false;
  auto message = reader_.next();
  if (message && !*message) return false;
  const wire::Address& to = reader_.address();
  if (message && to.run == base::kFirstRun && !to.hosts.empty()) {
    pass(to, std::move(**message), out);
  } else {
    hang_up(out);
  }
  return !over_;
}

void Relay::hang_up(RunEffects& out) {
  if (over_) return;
  for (const auto& [number, node] : std::map(asked_)) drop(node, out);
  out.push_back(AnswerLauncher{});
  over_ = true;
}

void Relay::pass(const wire::Address& to, wire::ToAgent message, RunEffects& out) {
  if (auto* reach = std::get_if<wire::Reach>(&message)) {
    if (to.hosts.is_one()) call(NodeIndex(to.hosts.ranges().front().first), *reach, out);
    return;
  }
  std::vector<NodeIndex> nodes = nodes_of(to.hosts);
  if (std::holds_alternative<wire::Release>(message)) {
    for (const NodeIndex node : nodes) drop(node, out);
  } else if (const auto* bye = std::get_if<wire::Bye>(&message)) {
    for (const NodeIndex node : nodes) part(node, *bye, out);
  } else if (auto* hello = std::get_if<wire::Hello>(&message)) {
    for (const NodeIndex node : nodes) greet(node, *hello, out);
  } else {
    std::erase_if(nodes, [&](NodeIndex node) { return state(node) != State::greeted; });
    if (!nodes.empty()) out.push_back(ToNodes{std::move(nodes), std::move(message)});
  }
}

void Relay::call(NodeIndex number, wire::Reach& reach, RunEffects& out) {
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

// A host that was lost since the launcher was told of it is on its way again.
void Relay::greet(NodeIndex node, const wire::Hello& hello, RunEffects& out) {
  Node& one = nodes_[node.value];
  if (one.state == State::reaching) {
    if (one.told) one.hello = hello;
    return;
  }
  one.state = State::greeted;
  out.push_back(ToNode{node, hello});
}

// The host is not the launcher's any more, whatever its agent still has to do. To an agent that has
// not been greeted there is nothing to say.
void Relay::let_go(NodeIndex node, wire::Bye bye, RunEffects& out) const {
  if (state(node) == State::greeted) {
    out.push_back(FreeHost{node, std::move(bye)});
  } else {
    out.push_back(NotAwaited{node});
  }
}

void Relay::part(NodeIndex node, wire::Bye bye, RunEffects& out) {
  let_go(node, std::move(bye), out);
  forget(node, kLeft, out);
}

// The launcher has no link there any more: it is told nothing.
void Relay::drop(NodeIndex node, RunEffects& out) {
  let_go(node, {}, out);
  end(node);
}

std::vector<NodeIndex> Relay::nodes_of(const wire::HostSet& numbers) const {
  std::vector<NodeIndex> found;
  for (const wire::HostSet::Range& range : numbers.ranges()) {
    auto at = asked_.lower_bound(NodeIndex(range.first));
    for (; at != asked_.end() && at->first.value <= range.last; ++at) found.push_back(at->second);
  }
  std::ranges::sort(found);
  return found;
}

// ---- its hosts --------------------------------------------------------------------------------

void Relay::up(NodeIndex node, RunEffects& out) {
  Node& one = nodes_[node.value];
  if (one.state != State::reaching) return;
  one.state = State::up;
  if (!std::exchange(one.told, true)) answer(node, wire::Reached{}, out);
  if (one.hello) greet(node, *std::exchange(one.hello, {}), out);
}

// The launcher may have a way of its own.
void Relay::refused(NodeIndex node, RunEffects& out) {
  forget(node, {base::Fault::usage, "it is not a host of the job", {}, {}}, out);
}

void Relay::missed(NodeIndex node, Error error, Instant, RunEffects& out) {
  if (state(node) == State::gone) return;
  out.push_back(NotAwaited{node});
  forget(node, std::move(error), out);
}

// An agent ends with the last run of its host: that may have been before the launcher's greeting.
void Relay::lost(NodeIndex node, Error error, Instant now, RunEffects& out) {
  Node& one = nodes_[node.value];
  if (one.state != State::up || std::exchange(one.again, true)) {
    return missed(node, std::move(error), now, out);
  }
  one.state = State::reaching;
  out.push_back(NeedHost{node});
}

void Relay::forget(NodeIndex node, Error why, RunEffects& out) {
  answer(node, wire::Unreached{std::move(why)}, out);
  end(node);
}

void Relay::end(NodeIndex node) {
  nodes_[node.value].state = State::gone;
  asked_.erase(nodes_[node.value].number);
}

void Relay::heard(NodeIndex node, const wire::ToHead& message, RunEffects& out) const {
  if (state(node) == State::greeted) answer(node, message, out);
}

void Relay::suspend(bool suspended, RunEffects& out) const {
  std::vector<NodeIndex> nodes;
  for (const auto& [number, node] : asked_) {
    if (state(node) == State::greeted) nodes.push_back(node);
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
