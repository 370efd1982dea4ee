// The head's way up: links, greetings, orders, start; and the events' entry.
#include "machine/head_machine.hpp"

#include <algorithm>
#include <csignal>

#include "plan/claims.hpp"
#include "plan/devices.hpp"
#include "plan/gloo_scopes.hpp"
#include "plan/plan.hpp"
#include "plan/roles.hpp"

namespace muster::machine {

using base::Duration;
using base::Fault;
using base::Instant;
using base::NodeIndex;
using base::Rank;

namespace {

Hosts::Options hosts_options(const HeadInput& input) {
  const model::JobSpec& spec = input.spec;
  return {input.job, spec.carrier, spec.lease, spec.grace, input.survey};
}

}  // namespace

HeadMachine::HeadMachine(HeadInput input)
    : input_(std::move(input)),
      hosts_(hosts_options(input_)),
      nodes_(input_.plan.nodes.size()),
      time_limit_(input_.spec.timeout, input_.spec.notice),
      stdin_(input_.spec.input, static_cast<std::uint32_t>(input_.plan.ranks.size())),
      verdict_(input_.spec.failure.code) {
  const auto size = static_cast<std::uint32_t>(input_.plan.ranks.size());
  PlacedWorld first{
      {1, Rank(0), size}, "muster_" + input_.job, mapping_for(input_.spec, input_.plan)};
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const model::PlannedNode& node = input_.plan.nodes[i];
    hosts_.add(node.host, plan::ports_wanted(input_.spec, node));
    first.nodes.emplace_back(i);
    nodes_[i].busy = static_cast<std::uint32_t>(node.ranks.size());
  }
  for (const model::PlannedRank& rank : input_.plan.ranks) {
    ranks_.add(input_.spec.apps[rank.app].serves);
  }
  verdict_.add(first.world);
  wireup_.add(std::move(first));
  if (!input_.survey && serves_pmix(input_.spec.wireup)) {
    pmix_.emplace(input_.secret).begin(input_.plan, input_.spec.apps, round_);
  }
}

void HeadMachine::start(Instant now, HeadEffects& out) {
  now_ = started_at_ = now;
  time_limit_.start(now);
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) hosts_.open(NodeIndex(i), now, out);
  hosts_.go_on(now, out);
}

void HeadMachine::step(Instant now, HeadEvent event, HeadEffects& out) {
  now_ = now;
  if (state_ == State::finished) return;
  std::visit([&](auto& one) { on(one, out); }, event);
}

std::optional<Instant> HeadMachine::deadline() const {
  if (state_ == State::finished) return std::nullopt;
  std::optional<Instant> soonest = base::sooner(hosts_.next_beat(), give_up_at_);
  if (opens_links()) soonest = base::sooner(soonest, hosts_.next_opening());
  if (stop_sent_ || state_ == State::leaving) return soonest;
  if (state_ == State::running) soonest = base::sooner(soonest, wireup_.next_look());
  if (input_.spec.init_timeout) {
    soonest = base::sooner(soonest, wireup_.waited_at(*input_.spec.init_timeout));
  }
  soonest = base::sooner(soonest, time_limit_.next());
  return base::sooner(soonest, servers_end_at_);
}

void HeadMachine::on(HeadTick&, HeadEffects& out) {
  if (opens_links()) end_overdue(out);
  if (opens_links()) hosts_.tick(now_, out);
  keep_alive(out);
  check_limits(out);
}

// ---- opening ----------------------------------------------------------------------------------

void HeadMachine::end_overdue(HeadEffects& out) {
  for (auto& [node, error] : hosts_.overdue(now_)) {
    if (idle(node)) {
      host_missed(node, std::move(error), out);
      continue;
    }
    hosts_.close(node, out);
    return fault(std::move(error), host(node), out);
  }
}

void HeadMachine::on(LinkUp& event, HeadEffects& out) {
  if (nodes_[event.node.value].state == NodeState::fresh) hosts_.up(event.node, now_, out);
}

void HeadMachine::on(LinkFailed& event, HeadEffects& out) {
  hosts_.unlinked(event.node);
  if (!opens_links()) return finish_when_left(out);
  auto error = hosts_.failed(event, now_, out);
  if (!error) return;
  if (idle(event.node)) return host_missed(event.node, std::move(*error), out);
  fault(std::move(*error), host(event.node), out);
}

// ---- greeting, preparing, starting ------------------------------------------------------------

void HeadMachine::on(Heard& event, HeadEffects& out) {
  if (nodes_[event.node.value].state == NodeState::gone) return;
  hosts_.heard(event.node, now_);
  if (speaks_for_itself(event)) {
    return std::visit([&](auto& one) { hear(event.node, one, out); }, event.message);
  }
  hosts_.close(event.node, out);
  lose(event.node,
       {Fault::lost,
        fmt::format("{}: its agent spoke of a rank of another host", host(event.node)),
        {},
        {}},
       out);
}

bool HeadMachine::owns(NodeIndex node, Rank rank) const {
  return rank.value < ranks_.size() && input_.plan.ranks[rank.value].node == node;
}

// What comes from another machine may be nonsense: a rank that is not there must not be looked up.
bool HeadMachine::speaks_for_itself(const Heard& event) const {
  const auto owned = [&](Rank rank) { return owns(event.node, rank); };
  return std::visit(
      [&](const auto& message) {
        using Message = std::decay_t<decltype(message)>;
        if constexpr (std::is_same_v<Message, wire::Exited>) {
          return owned(message.exit.rank);
        } else if constexpr (std::is_same_v<Message, wire::Attendance>) {
          return std::ranges::all_of(message.ranks, owned);
        } else if constexpr (requires { message.rank; }) {
          return owned(message.rank);
        } else {
          return true;
        }
      },
      event.message);
}

void HeadMachine::on(Printed& event, HeadEffects&) {
  if (!owns(event.node, event.rank)) return;
  hosts_.heard(event.node, now_);
  verdict_.remember(event.rank, event.errors);
}

void HeadMachine::hear(NodeIndex index, wire::Welcome& message, HeadEffects& out) {
  const Node& node = nodes_[index.value];
  const bool awaited = node.state == NodeState::fresh && hosts_.state(index) == Hosts::State::up;
  if (!awaited || !opens_links()) return;
  if (auto accepted = hosts_.welcome(index, message, now_, out); !accepted) {
    if (idle(index)) return host_missed(index, std::move(accepted.error()), out);
    return fault(std::move(accepted.error()), host(index), out);
  }
  if (node.joined) return conclude(spawns_.greeted(index), out);
  if (!hosts_.all_greeted()) return;
  if (round_ == 0) verdict_.found_same(plan::same_hosts(input_.plan, hosts_.all_facts()));
  if (input_.survey || !verdict_.so_far().same_hosts.empty()) return part(out);
  prepare_all(out);
}

void HeadMachine::part(HeadEffects& out) {
  for (Node& node : nodes_) node.state = NodeState::stopped;
  leave_when_stopped(out);
}

void HeadMachine::prepare_all(HeadEffects& out) {
  state_ = State::preparing;
  verdict_.phases().greeted = since_start();
  where_ = plan::rendezvous(input_.plan, hosts_.all_facts());
  where_.round = round_;
  if (input_.deadline) where_.deadline = std::to_string(*input_.deadline);
  if (input_.spec.verbose) tell_networks(where_, out);
  if (round_ == 0) warn_loaders(out);
  const auto enough = plan::check_devices(input_.spec, input_.plan, where_).and_then([&] {
    return plan::check_ports(input_.spec, input_.plan, where_);
  });
  if (!enough) return fault(enough.error(), "", out);
  const std::string shared = plan::shared_devices(input_.spec, input_.plan, where_, input_.kept);
  if (!shared.empty() && round_ == 0) out.push_back(Say{shared});
  if (input_.spec.gloo) return serve_gloo(out);
  order_all(out);
}

void HeadMachine::serve_gloo(HeadEffects& out) {
  const std::string& interface = input_.spec.gloo->interface;
  if (interface.empty() && where_.head.empty()) {
    return fault({Fault::usage,
                  "no host has told at which address it sees this machine, where ranks would meet",
                  "--network-interface NAME says which one to use; --mpi needs none",
                  {}},
                 "", out);
  }
  out.push_back(
      ServeGloo{interface, where_.head, plan::gloo_scopes(input_.plan), hosts_.addresses()});
}

void HeadMachine::on(GlooServed& event, HeadEffects& out) {
  if (state_ != State::preparing) return;
  if (!event.at) return fault(std::move(event.at.error()), "", out);
  where_.gloo_address = event.at->address;
  where_.gloo_port = std::to_string(event.at->port);
  order_all(out);
}

void HeadMachine::order_all(HeadEffects& out) {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    out.push_back(ToNode{NodeIndex(i), first_orders(NodeIndex(i), where_)});
  }
}

// What dialects() makes of it is no more than a default: the user's own variables win.
void HeadMachine::tell_networks(const plan::Rendezvous& where, HeadEffects& out) const {
  if (nodes_.size() < 2) return;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) tell_network(NodeIndex(i), where, i, out);
  out.push_back(Say{fmt::format("MASTER_ADDR={} MASTER_PORT={}", where.address, where.port)});
}

void HeadMachine::tell_network(NodeIndex node, const plan::Rendezvous& where, std::size_t place,
                               HeadEffects& out) const {
  const std::string& name = where.interfaces[place];
  out.push_back(
      Say{fmt::format("{}: ranks talk over {} at {}: {}{}", host(node),
                      name.empty() ? "any interface" : name, where.addresses[place],
                      where.reasons[place], where.rdma[place] ? "; RDMA is left to MPI" : "")});
}

wire::Prepare HeadMachine::first_orders(NodeIndex node, const plan::Rendezvous& where) const {
  wire::Prepare made =
      orders({input_.spec, input_.plan, where, input_.kept, input_.job, Rank(0)}, node);
  made.hostfile = hostfile();
  made.claims = plan::claims_of(input_.plan, node);
  made.window = window();
  const auto& facts = hosts_.facts(node);
  const bool has_the_store = input_.plan.ranks.front().node == node;
  if (input_.spec.torch_store && has_the_store && facts) made.held_port = facts->port;
  made.wireup = wireup(first_world());
  if (pmix_) made.wireup.pmix_jobs = pmix_->jobs(node);
  const std::vector<Rank> fed = stdin_.targets();
  for (wire::TaskOrder& task : made.tasks) task.input = std::ranges::binary_search(fed, task.rank);
  return made;
}

std::string HeadMachine::hostfile() const {
  const std::string& other = input_.spec.hostfile;
  return other.empty() ? plan::hostfile_text(input_.plan) : other;
}

wire::Wireup HeadMachine::wireup(const PlacedWorld& placed) const {
  wire::Wireup made;
  made.pmi = serves_pmi(input_.spec.wireup);
  made.name = placed.name;
  made.size = placed.world.size;
  made.universe = input_.plan.universe;
  made.mapping = placed.mapping;
  made.world = placed.world.number;
  made.first = placed.world.first;
  return made;
}

std::uint32_t HeadMachine::window() const { return window_for(first_world().world.size); }

std::uint32_t HeadMachine::window_for(std::size_t ranks) const {
  constexpr std::size_t kAll = 8u << 20;
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(kAll / std::max<std::size_t>(2 * ranks, 1), 16u << 10, 256u << 10));
}

void HeadMachine::hear(NodeIndex index, wire::Prepared& message, HeadEffects& out) {
  if (message.world > 1) return conclude(spawns_.prepared(index, message.world), out);
  if (!greeted(index) || state_ != State::preparing) return;
  nodes_[index.value].state = NodeState::prepared;
  if (all_prepared()) start_all(out);
}

// Between the plan and the claim another job came first: its ranks go elsewhere, or are not bound.
// After kBindingTries plans none is: then there is nothing left to claim.
void HeadMachine::hear(NodeIndex index, wire::Taken& message, HeadEffects& out) {
  constexpr std::uint32_t kBindingTries = 3;
  Node& node = nodes_[index.value];
  const auto& topology = input_.plan.nodes[index.value].host.topology;
  if (!greeted(index) || state_ != State::preparing || !topology) return;
  if (++node.taken > kBindingTries) return;
  const bool last = node.taken == kBindingTries;
  const std::string told =
      plan::yield_claimed(input_.plan, index, last ? topology->allowed : message.cpus);
  if (!told.empty()) out.push_back(Say{told});
  out.push_back(ToNode{index, first_orders(index, where_)});
}

void HeadMachine::start_all(HeadEffects& out) {
  state_ = State::running;
  verdict_.phases().prepared = since_start();
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].state = NodeState::running;
    out.push_back(ToNode{NodeIndex(i), wire::Start{}});
  }
  if (stdin_.ended()) end_input(out);
}

void HeadMachine::hear(NodeIndex node, wire::Started& message, HeadEffects& out) {
  if (!ranks_.start(message.rank, message.pid)) return;
  out.push_back(Tell{model::RankStarted{message.rank, node, message.pid}});
  if (!ranks_.all_started()) return;
  if (!verdict_.phases().started) verdict_.phases().started = since_start();
  input_flow(out);
}

void HeadMachine::hear(NodeIndex, wire::Output&, HeadEffects&) {}     // the data's own way
void HeadMachine::hear(NodeIndex, wire::OutputEnd&, HeadEffects&) {}  // likewise

void HeadMachine::hear(NodeIndex index, wire::Pong& message, HeadEffects&) {
  hosts_.pong(index, message, now_);
}

// ---- small answers ----------------------------------------------------------------------------

bool HeadMachine::all_prepared() const {
  return std::ranges::all_of(nodes_,
                             [](const Node& node) { return node.state >= NodeState::prepared; });
}

// Its ranks may be prepared.
bool HeadMachine::greeted(NodeIndex node) const {
  return nodes_[node.value].state == NodeState::fresh &&
         hosts_.state(node) == Hosts::State::greeted;
}

Duration HeadMachine::since_start() const {
  return std::chrono::duration_cast<Duration>(now_ - started_at_);
}

}  // namespace muster::machine
