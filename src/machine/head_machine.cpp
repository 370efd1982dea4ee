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

constexpr Duration kFirstProgress = std::chrono::seconds(3);
constexpr Duration kNextProgress = std::chrono::seconds(10);
constexpr std::size_t kHostsNamed = 5;

bool serves_pmi(model::Wireup wireup) {
  return wireup != model::Wireup::none && wireup != model::Wireup::pmix;
}

bool serves_pmix(model::Wireup wireup) {
  return wireup == model::Wireup::automatic || wireup == model::Wireup::pmix;
}

}  // namespace

HeadMachine::HeadMachine(HeadInput input)
    : input_(std::move(input)),
      opener_(input_.spec.carrier.parallel, input_.spec.carrier.patience),
      nodes_(input_.plan.nodes.size()),
      tasks_(input_.plan.ranks.size()),
      tails_(input_.plan.ranks.size()),
      input_sent_(input_.plan.ranks.size()),
      input_taken_(input_.plan.ranks.size()) {
  report_.world_size = static_cast<std::uint32_t>(tasks_.size());
  report_.style = input_.spec.failure.code;
  Party first{{1, Rank(0), report_.world_size},
              "muster_" + input_.job,
              input_.mapping ? input_.mapping(input_.plan) : "",
              0,
              {},
              Fences(nodes_.size())};
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    first.nodes.emplace_back(i);
    nodes_[i].busy = static_cast<std::uint32_t>(input_.plan.nodes[i].ranks.size());
  }
  parties_.push_back(std::move(first));
  report_.worlds = {parties_.front().world};
  roll_.add(parties_.front().world);
  if (!input_.survey && serves_pmix(input_.spec.wireup)) {
    pmix_.emplace(input_.secret).begin(input_.plan, input_.spec.apps, round_);
  }
  for (std::uint32_t i = 0; i < tasks_.size(); ++i) awaited_ += !serves(Rank(i));
}

void HeadMachine::start(Instant now, HeadEffects& out) {
  now_ = started_at_ = now;
  if (input_.spec.timeout) timeout_at_ = now + *input_.spec.timeout;
  if (timeout_at_ && input_.spec.notice) notice_at_ = *timeout_at_ - input_.spec.notice->before;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const NodeIndex node(i);
    if (remote(node)) {
      opener_.add(node, now);
    } else {
      out.push_back(OpenLink{node});
    }
  }
  if (opener_.deadline()) next_progress_ = now + kFirstProgress;
  open_due(out);
}

void HeadMachine::step(Instant now, HeadEvent event, HeadEffects& out) {
  now_ = now;
  if (state_ == State::finished) return;
  std::visit([&](auto& one) { on(one, out); }, event);
}

void HeadMachine::alive(NodeIndex node, Instant now) { nodes_[node.value].heard = now; }

std::optional<Instant> HeadMachine::deadline() const {
  if (state_ == State::finished) return std::nullopt;
  std::optional<Instant> soonest = base::sooner(next_ping_, give_up_at_);
  if (opens_links()) {
    soonest = base::sooner(base::sooner(soonest, opener_.deadline()), next_progress_);
  }
  if (stop_sent_ || state_ == State::leaving) return soonest;
  if (state_ == State::running) soonest = base::sooner(soonest, roll_.deadline(roll_patience_));
  if (input_.spec.init_timeout) {
    soonest = base::sooner(soonest, roll_.deadline(*input_.spec.init_timeout));
  }
  soonest = base::sooner(base::sooner(soonest, timeout_at_), notice_at_);
  return base::sooner(soonest, servers_end_at_);
}

void HeadMachine::on(HeadTick&, HeadEffects& out) {
  if (opens_links()) {
    end_overdue(out);
    open_due(out);
    tell_progress(out);
  }
  keep_alive(out);
  check_limits(out);
}

// ---- opening ----------------------------------------------------------------------------------

void HeadMachine::open_due(HeadEffects& out) {
  if (!opens_links()) return;
  for (const NodeIndex node : opener_.due(now_)) {
    nodes_[node.value].link = true;
    out.push_back(OpenLink{node});
  }
}

void HeadMachine::end_overdue(HeadEffects& out) {
  for (const NodeIndex node : opener_.overdue(now_)) {
    const double seconds = std::chrono::duration<double>(input_.spec.carrier.patience).count();
    base::Error error{Fault::unreachable,
                      fmt::format("{}: no answer within {:g} s", host(node), seconds),
                      fmt::format("is the host up, and does `{} {} true` end by itself? "
                                  "--start-timeout gives it longer",
                                  input_.spec.carrier.command.front(), host(node)),
                      {}};
    if (idle(node)) {
      host_missed(node, std::move(error), out);
      continue;
    }
    nodes_[node.value].link = false;
    out.push_back(CloseLink{node});
    return fault(std::move(error), host(node), out);
  }
}

void HeadMachine::on(LinkUp& event, HeadEffects& out) {
  Node& node = nodes_[event.node.value];
  if (node.state != NodeState::waiting) return;
  node.state = NodeState::up;
  node.heard = now_;
  if (remote(event.node) && !next_ping_) next_ping_ = now_ + input_.spec.lease / 4;
  greet(event.node, out);
}

void HeadMachine::greet(NodeIndex index, HeadEffects& out) {
  nodes_[index.value].greeted_at = now_;
  nodes_[index.value].pinged_at.clear();
  out.push_back(ToNode{index, hello(index)});
}

wire::Hello HeadMachine::hello(NodeIndex node) const {
  return {wire::kProtocol,
          input_.job,
          node,
          static_cast<std::uint32_t>(input_.spec.lease.count()),
          static_cast<std::uint32_t>(input_.spec.grace.count()),
          input_.survey,
          plan::ports_wanted(input_.spec, input_.plan.nodes[node.value])};
}

void HeadMachine::on(LinkFailed& event, HeadEffects& out) {
  Node& node = nodes_[event.node.value];
  node.link = false;
  if (!opens_links()) return finish_when_left(out);
  node.last_error = event.error.what;
  if (!opener_.again(event.node, now_, event.retry)) {
    if (idle(event.node)) return host_missed(event.node, std::move(event.error), out);
    return fault(std::move(event.error), host(event.node), out);
  }
  open_due(out);
}

void HeadMachine::tell_progress(HeadEffects& out) {
  if (!opens_links() || !next_progress_ || now_ < *next_progress_) return;
  next_progress_ = now_ + kNextProgress;
  const std::vector<NodeIndex> waiting = opener_.waiting();
  if (waiting.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(waiting.size(), kHostsNamed); ++i) {
    const std::string& why = nodes_[waiting[i].value].last_error;
    names += fmt::format("{}{}", i == 0 ? "" : "; ", why.empty() ? host(waiting[i]) : why);
  }
  if (waiting.size() > kHostsNamed) names += "; ...";
  out.push_back(
      Say{fmt::format("waiting for {} of {} hosts: {}", waiting.size(), nodes_.size(), names)});
}

// ---- greeting, preparing, starting ------------------------------------------------------------

void HeadMachine::on(Heard& event, HeadEffects& out) {
  Node& node = nodes_[event.node.value];
  if (node.state == NodeState::gone) return;
  node.heard = now_;
  if (speaks_for_itself(event)) {
    return std::visit([&](auto& one) { hear(event.node, one, out); }, event.message);
  }
  if (std::exchange(node.link, false)) out.push_back(CloseLink{event.node});
  lose(event.node,
       {Fault::lost,
        fmt::format("{}: its agent spoke of a rank of another host", host(event.node)),
        {},
        {}},
       out);
}

// What comes from another machine may be nonsense: a rank that is not there must not be looked up.
bool HeadMachine::speaks_for_itself(const Heard& event) const {
  const auto owned = [&](Rank rank) {
    return rank.value < tasks_.size() && input_.plan.ranks[rank.value].node == event.node;
  };
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

void HeadMachine::hear(NodeIndex index, wire::Welcome& message, HeadEffects& out) {
  Node& node = nodes_[index.value];
  if (node.state != NodeState::up || !opens_links()) return;
  opener_.opened(index);
  if (message.protocol != wire::kProtocol) {
    base::Error error{Fault::unreachable,
                      fmt::format("{}: its muster {} speaks protocol {}, this one {}", host(index),
                                  message.version, message.protocol, wire::kProtocol),
                      "install the same muster there, or point --agent-path at it",
                      {}};
    if (idle(index)) return host_missed(index, std::move(error), out);
    return fault(std::move(error), host(index), out);
  }
  node.state = NodeState::greeted;
  node.facts = std::move(message.facts);
  if (!remote(index)) {
    node.clock.is_ours();
  } else if (message.came_us != 0) {
    node.clock.heard(node.greeted_at, from_wire(message.came_us), from_wire(message.left_us), now_);
  }
  node.shared = message.shared;
  open_due(out);
  if (node.joined) return host_joined(index, out);
  if (!every_node(NodeState::greeted)) return;
  if (round_ == 0) report_.same_hosts = plan::same_hosts(input_.plan, all_facts());
  if (input_.survey || !report_.same_hosts.empty()) return part(out);
  prepare_all(out);
}

std::vector<std::optional<model::HostFacts>> HeadMachine::all_facts() const {
  std::vector<std::optional<model::HostFacts>> facts;
  facts.reserve(nodes_.size());
  for (const Node& node : nodes_) facts.push_back(node.facts);
  return facts;
}

void HeadMachine::part(HeadEffects& out) {
  for (Node& node : nodes_) node.state = NodeState::stopped;
  leave_when_stopped(out);
}

void HeadMachine::prepare_all(HeadEffects& out) {
  state_ = State::preparing;
  report_.phases.greeted = since_start();
  where_ = plan::rendezvous(input_.plan, all_facts());
  where_.round = round_;
  if (input_.deadline) where_.deadline = std::to_string(*input_.deadline);
  if (input_.spec.verbose) tell_networks(where_, out);
  if (round_ == 0) warn_loaders(out);
  const auto enough = plan::check_devices(input_.spec, input_.plan, where_).and_then([&] {
    return plan::check_ports(input_.spec, input_.plan, where_);
  });
  if (!enough) return fault(enough.error(), "", out);
  const std::string shared =
      plan::shared_devices(input_.spec, input_.plan, where_, input_.kept_here, input_.kept_remote);
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
      ServeGloo{interface, where_.head, plan::gloo_scopes(input_.plan), addresses_of_hosts()});
}

std::set<std::string> HeadMachine::addresses_of_hosts() const {
  std::set<std::string> addresses;
  for (const Node& node : nodes_) {
    if (!node.facts) continue;
    for (const model::Interface& one : node.facts->interfaces) addresses.insert(one.address);
    if (!node.facts->reached_at.empty()) addresses.insert(node.facts->reached_at);
  }
  return addresses;
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
  wire::Prepare made = orders(
      {input_.spec, input_.plan, where, input_.kept_here, input_.kept_remote, input_.job, Rank(0)},
      node);
  made.hostfile = hostfile();
  made.claims = plan::claims_of(input_.plan, node);
  made.window = window();
  const auto& facts = nodes_[node.value].facts;
  const bool has_the_store = input_.plan.ranks.front().node == node;
  if (input_.spec.torch_store && has_the_store && facts) made.held_port = facts->port;
  made.wireup = wireup(parties_.front());
  if (pmix_) made.wireup.pmix_jobs = pmix_->jobs(node);
  const std::vector<Rank> fed = input_ranks();
  for (wire::TaskOrder& task : made.tasks) task.input = std::ranges::binary_search(fed, task.rank);
  return made;
}

std::string HeadMachine::hostfile() const {
  const std::string& other = input_.spec.hostfile;
  return other.empty() ? plan::hostfile_text(input_.plan) : other;
}

wire::Wireup HeadMachine::wireup(const Party& party) const {
  wire::Wireup made;
  made.pmi = serves_pmi(input_.spec.wireup);
  made.name = party.name;
  made.size = party.world.size;
  made.universe = input_.plan.universe;
  made.mapping = party.mapping;
  made.world = party.world.number;
  made.first = party.world.first;
  return made;
}

std::uint32_t HeadMachine::window() const { return window_for(parties_.front().world.size); }

std::uint32_t HeadMachine::window_for(std::size_t ranks) const {
  constexpr std::size_t kAll = 8u << 20;
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(kAll / std::max<std::size_t>(2 * ranks, 1), 16u << 10, 256u << 10));
}

void HeadMachine::hear(NodeIndex index, wire::Prepared& message, HeadEffects& out) {
  Node& node = nodes_[index.value];
  if (message.world > 1) return spawn_answered(index, message.world, out);
  if (node.state != NodeState::greeted || state_ != State::preparing) return;
  node.state = NodeState::prepared;
  if (every_node(NodeState::prepared)) start_all(out);
}

// Between the plan and the claim another job came first: its ranks go elsewhere, or are not bound.
// After kBindingTries plans none is: then there is nothing left to claim.
void HeadMachine::hear(NodeIndex index, wire::Taken& message, HeadEffects& out) {
  constexpr std::uint32_t kBindingTries = 3;
  Node& node = nodes_[index.value];
  const auto& topology = input_.plan.nodes[index.value].host.topology;
  if (node.state != NodeState::greeted || state_ != State::preparing || !topology) return;
  if (++node.taken > kBindingTries) return;
  const bool last = node.taken == kBindingTries;
  const std::string told =
      plan::yield_claimed(input_.plan, index, last ? topology->allowed : message.cpus);
  if (!told.empty()) out.push_back(Say{told});
  out.push_back(ToNode{index, first_orders(index, where_)});
}

void HeadMachine::start_all(HeadEffects& out) {
  state_ = State::running;
  report_.phases.prepared = since_start();
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].state = NodeState::running;
    out.push_back(ToNode{NodeIndex(i), wire::Start{}});
  }
  if (input_ended_) end_input(out);
}

void HeadMachine::hear(NodeIndex, wire::Started& message, HeadEffects& out) {
  if (std::exchange(tasks_[message.rank.value].pid, message.pid) != 0) return;
  if (++running_ < tasks_.size()) return;
  if (!report_.phases.started) report_.phases.started = since_start();
  input_flow(out);
}

void HeadMachine::hear(NodeIndex, wire::Output&, HeadEffects&) {}     // the data's own way
void HeadMachine::hear(NodeIndex, wire::OutputEnd&, HeadEffects&) {}  // likewise

// Every Ping is noted: their answers come in the same order.
void HeadMachine::ping(NodeIndex index, HeadEffects& out) {
  nodes_[index.value].pinged_at.push_back(now_);
  out.push_back(ToNode{index, wire::Ping{}});
}

void HeadMachine::hear(NodeIndex index, wire::Pong& message, HeadEffects&) {
  Node& node = nodes_[index.value];
  if (node.pinged_at.empty()) return;
  const Instant asked = node.pinged_at.front();
  node.pinged_at.pop_front();
  const Instant then = from_wire(message.at_us);
  if (remote(index) && message.at_us != 0) node.clock.heard(asked, then, then, now_);
}

// ---- small answers ----------------------------------------------------------------------------

void HeadMachine::remember(Rank rank, std::string_view stderr_bytes) {
  tails_[rank.value].take(stderr_bytes);
}

bool HeadMachine::every_node(NodeState at_least) const {
  return std::ranges::all_of(nodes_, [&](const Node& node) { return node.state >= at_least; });
}

const std::string& HeadMachine::host(NodeIndex node) const {
  return input_.plan.nodes[node.value].host.name;
}

bool HeadMachine::remote(NodeIndex node) const {
  return input_.plan.nodes[node.value].host.reach != model::Reach::here;
}

Duration HeadMachine::since_start() const {
  return std::chrono::duration_cast<Duration>(now_ - started_at_);
}

}  // namespace muster::machine
