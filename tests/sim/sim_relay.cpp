// Carries frames between the head below and its hosts through a machine of the head above.
#include "sim/sim_relay.hpp"

#include <algorithm>

#include "model/carriers.hpp"

namespace muster::sim {

using base::NodeIndex;
using base::RunIndex;

namespace {

constexpr std::uint32_t kConnection = 1;
constexpr NodeIndex kLauncher{0};  // the host of the rank that is the launcher
constexpr Duration kLatencyMax(50);

machine::RunInput run_above(const Scenario& world, const std::vector<std::string>& names) {
  machine::RunInput input;
  input.kept = {{{}}, {{}}};
  input.spec.apps.front().command = {"launcher"};
  input.spec.wireup = model::Wireup::none;
  input.spec.lease = world.lease;
  input.spec.grace = world.grace;
  input.spec.carrier.patience = world.patience;
  input.spec.carrier.parallel = world.parallel;
  for (const std::string& name : names) input.spec.hostfile += name + " slots=1\n";
  model::PlannedNode& node = input.plan.nodes.emplace_back();
  node.host.name = "launcher";
  node.host.carrier = model::kOpened;
  node.ranks.emplace_back(0);
  input.plan.ranks.push_back({kLauncher, 0});
  input.job = "above";
  return input;
}

}  // namespace

SimRelay::SimRelay(Agenda& agenda, Dice dice, const Scenario& world,
                   const std::vector<std::string>& names, SimRelayEvents events)
    : agenda_(agenda),
      events_(std::move(events)),
      above_(run_above(world, names)),
      hosts_{"launcher"},
      up_(agenda, Dice(dice.next()), Duration(1), kLatencyMax),
      down_(agenda, Dice(dice.next()), Duration(1), kLatencyMax) {
  machine::HeadEffects effects;
  above_.start(agenda_.now(), effects);
  feed(machine::LinkUp{kLauncher});
  feed(machine::Heard{kLauncher, wire::Welcome{}});
  feed(machine::Heard{kLauncher, wire::Prepared{}});
  feed(machine::Heard{kLauncher, wire::Started{base::Rank(0), 10}});
}

// ---- the head below ---------------------------------------------------------------------------

void SimRelay::reach(NodeIndex number, const std::string& name) {
  if (!up_below_.emplace(number, false).second) events_.complain("a host is asked for twice");
  std::string bytes;
  wire::append(bytes, wire::ToAgent(wire::Reach{name, {}, 0}),
               {base::kFirstRun, wire::HostSet(number)});
  say(std::move(bytes));
}

// Nothing more is heard of it, whatever is on its way.
void SimRelay::release(NodeIndex number) {
  if (up_below_.erase(number) != 0) send(number, wire::Release{});
}

void SimRelay::send(NodeIndex number, const wire::ToAgent& message) {
  std::string bytes;
  wire::append(bytes, message, {base::kFirstRun, wire::HostSet(number)});
  say(std::move(bytes));
}

void SimRelay::hang_up() {
  if (!std::exchange(hung_up_, true)) say({});
}

void SimRelay::say(std::string bytes) {
  up_.send([this, bytes = std::move(bytes)] {
    feed(machine::Heard{kLauncher, wire::FromLauncher{kConnection, bytes}});
  });
}

// ---- links of the head above ------------------------------------------------------------------

void SimRelay::up(const std::string& host) { feed(machine::LinkUp{at_head(host)}); }

void SimRelay::failed(const std::string& host, base::Error error, machine::Retry retry) {
  feed(machine::LinkFailed{at_head(host), std::move(error), retry});
}

void SimRelay::lost(const std::string& host, base::Error error) {
  feed(machine::LinkLost{at_head(host), std::move(error)});
}

void SimRelay::heard(const std::string& host, RunIndex run, const wire::ToHead& message) {
  feed(machine::Heard{at_head(host), message, run});
}

void SimRelay::output(const std::string& host, RunIndex run, base::Rank rank, wire::Stream stream,
                      std::uint64_t offset, std::uint32_t count) {
  const auto to = above_.relayed(run, at_head(host));
  if (!to) return;
  const NodeIndex number(to->from.hosts.ranges().front().first);
  down_.send([=, this] {
    events_.when_awake([=, this] {
      if (hung_up_ || !up_below_.contains(number)) return;
      events_.output(number, rank, stream, offset, count);
    });
  });
}

// ---- the head above ---------------------------------------------------------------------------

NodeIndex SimRelay::at_head(const std::string& host) const {
  return NodeIndex(std::ranges::find(hosts_, host) - hosts_.begin());
}

void SimRelay::feed(machine::HeadEvent event) {
  queue_.push_back(std::move(event));
  if (std::exchange(pumping_, true)) return;
  while (!queue_.empty()) {
    machine::HeadEvent next = std::move(queue_.front());
    queue_.pop_front();
    machine::HeadMachine twin = above_;
    machine::HeadEffects effects, of_twin;
    twin.step(agenda_.now(), next, of_twin);
    above_.step(agenda_.now(), std::move(next), effects);
    above_.check();
    if (effects != of_twin || above_ != twin) events_.complain("the head above is no value");
    for (machine::HeadEffect& effect : effects) {
      std::visit([this](auto& one) { perform(one); }, effect);
    }
  }
  pumping_ = false;
  arm();
}

void SimRelay::arm() {
  const auto deadline = above_.deadline();
  if (deadline == armed_) return;
  armed_ = deadline;
  if (!deadline) return;
  agenda_.at(*deadline, [this, when = *deadline] {
    if (armed_ != when) return;
    armed_.reset();
    feed(machine::HeadTick{});
  });
}

void SimRelay::perform(machine::OpenLink& effect) {
  if (effect.node != kLauncher) events_.open_link(hosts_[effect.node.value]);
}

void SimRelay::perform(machine::CloseLink& effect) {
  events_.close_link(hosts_[effect.node.value]);
}

void SimRelay::perform(machine::AddHost& effect) {
  if (effect.node.value != hosts_.size()) events_.complain("the head above miscounts hosts");
  if (std::ranges::find(hosts_, effect.host.name) != hosts_.end()) {
    events_.complain("the head above has a host twice");
  }
  hosts_.push_back(effect.host.name);
}

void SimRelay::perform(machine::ToNode& effect) {
  if (const auto* to = std::get_if<wire::ToLauncher>(&effect.message)) {
    if (effect.node != kLauncher || to->connection != kConnection) {
      events_.complain("an answer goes to somebody else");
    }
    return down(to->bytes);
  }
  if (effect.node == kLauncher) return to_first_run(effect.message);
  events_.send(hosts_[effect.node.value], effect.message, effect.run);
}

void SimRelay::perform(machine::ToNodes& effect) {
  for (const NodeIndex node : effect.nodes) {
    if (node == kLauncher) continue;
    events_.send(hosts_[node.value], effect.message, effect.run);
  }
}

// The launcher's rank does nothing but live.
void SimRelay::to_first_run(const wire::ToAgent& message) {
  if (std::holds_alternative<wire::Ping>(message)) {
    agenda_.after(Duration(1), [this] { feed(machine::Heard{kLauncher, wire::Pong{1}}); });
  }
}

void SimRelay::perform(machine::RunOver& effect) {
  if (effect.run == base::kFirstRun) events_.complain("the run above is over");
  over_ = true;
}

// ---- to the head below ------------------------------------------------------------------------

void SimRelay::down(const std::string& bytes) {
  down_.send([this, bytes] {
    events_.when_awake([this, bytes] {
      if (hung_up_) return;
      if (bytes.empty()) return events_.complain("the head above has hung up");
      take(bytes);
    });
  });
}

void SimRelay::take(const std::string& bytes) {
  std::string rest = bytes;
  if (!greeted_) {
    rest.clear();
    greeted_ = filter_.feed(bytes, rest) == wire::NoiseFilter::State::found;
  }
  reader_.feed(rest);
  while (true) {
    auto item = reader_.next();
    if (!item) return events_.complain("the head above sends nonsense");
    if (!*item) return;
    const NodeIndex number(reader_.address().hosts.ranges().front().first);
    tell(number, std::get<wire::ToHead>(std::move(**item)));
  }
}

void SimRelay::tell(NodeIndex number, wire::ToHead message) {
  const auto known = up_below_.find(number);
  if (known == up_below_.end()) return;
  if (std::holds_alternative<wire::Reached>(message)) {
    known->second = true;
    return events_.below(machine::LinkUp{number});
  }
  if (auto* unreached = std::get_if<wire::Unreached>(&message)) {
    const bool was_up = known->second;
    up_below_.erase(known);
    if (was_up) return events_.below(machine::LinkLost{number, std::move(unreached->error)});
    return events_.below(
        machine::LinkFailed{number, std::move(unreached->error), machine::Retry::no});
  }
  events_.below(machine::Heard{number, std::move(message)});
}

}  // namespace muster::sim
