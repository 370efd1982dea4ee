// A run's way up: greetings, orders, start; and what its hosts say.
#include "machine/run.hpp"

#include <algorithm>
#include <csignal>

#include "base/check.hpp"
#include "plan/claims.hpp"
#include "plan/devices.hpp"
#include "plan/gloo_scopes.hpp"
#include "plan/gpu_binding.hpp"
#include "plan/plan.hpp"
#include "plan/roles.hpp"
#include "view/first_few.hpp"
#include "view/rank_name.hpp"
#include "view/tail.hpp"

namespace muster::machine {

using base::Duration;
using base::Error;
using base::Fault;
using base::Instant;
using base::NodeIndex;
using base::Rank;

namespace {

constexpr const char* kLeftToOthers = "; ranks there have others";

// All that any host has.
std::set<std::string> addresses(const std::vector<std::optional<model::HostFacts>>& facts) {
  std::set<std::string> addresses;
  for (const auto& host : facts) {
    if (!host) continue;
    for (const model::Interface& one : host->interfaces) addresses.insert(one.address);
    if (!host->reached_at.empty()) addresses.insert(host->reached_at);
  }
  return addresses;
}

}  // namespace

Run::Run(RunInput input)
    : input_(std::move(input)),
      nodes_(input_.plan.nodes.size()),
      time_limit_(input_.spec.timeout, input_.spec.notice),
      stdin_(input_.spec.input, static_cast<std::uint32_t>(input_.plan.ranks.size())),
      verdict_(input_.spec.failure.code) {
  const auto size = static_cast<std::uint32_t>(input_.plan.ranks.size());
  PlacedWorld first{
      {1, Rank(0), size}, "muster_" + input_.job, mapping_for(input_.spec, input_.plan)};
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    first.nodes.emplace_back(i);
    nodes_[i].busy = static_cast<std::uint32_t>(input_.plan.nodes[i].ranks.size());
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

void Run::start(Instant now, RunEffects& out) {
  now_ = started_at_ = now;
  time_limit_.start(now);
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) out.push_back(NeedHost{NodeIndex(i)});
  if (input_.holds_spare) hold_spare(out);
}

std::optional<Instant> Run::deadline() const {
  if (stop_ || over()) return give_up_at_;
  std::optional<Instant> soonest = base::sooner(time_limit_.next(), servers_end_at_);
  if (failed_) soonest = base::sooner(soonest, failed_->told_at);
  if (state_ == State::running) soonest = base::sooner(soonest, wireup_.next_look());
  if (!input_.spec.init_timeout) return soonest;
  return base::sooner(soonest, wireup_.waited_at(*input_.spec.init_timeout));
}

Run::Status Run::status() const {
  return {state_, round_, ranks_.size(), ranks_.ended(), wireup_.status(), spawns_.status()};
}

// ---- what becomes of its hosts ----------------------------------------------------------------

void Run::up(NodeIndex node, RunEffects& out) {
  if (needs(node)) greet(node, out);
}

// Spawned ranks have no ports of their own.
void Run::greet(NodeIndex node, RunEffects& out) {
  Node& greeted = nodes_[node.value];
  greeted.state = NodeState::up;
  const std::uint32_t ports =
      greeted.joined ? 0 : plan::ports_wanted(input_.spec, input_.plan.nodes[node.value]);
  out.push_back(GreetHost{node, input_.job, ports, input_.survey});
}

bool Run::awaits(NodeIndex node) const {
  if (nodes_[node.value].state != NodeState::up || nodes_[node.value].failed) return false;
  return state_ == State::opening || spawns_.calls_hosts();
}

void Run::greeted(NodeIndex index, model::HostFacts facts,
                  const std::optional<model::SharedMemory>& shared, Instant now, RunEffects& out) {
  CHECK(awaits(index));
  now_ = now;
  Node& node = nodes_[index.value];
  node.state = NodeState::greeted;
  node.facts = std::move(facts);
  node.shared = shared;
  if (node.joined && state_ != State::opening) return conclude(spawns_.greeted(index), out);
  tell_failed_hosts(out);
  if (stop_ || !all(NodeState::greeted)) return;
  if (round_ == 0 && !input_.spec.names_are_hosts)
    verdict_.found_same(plan::same_hosts(own_plan(), all_facts()));
  if (input_.survey || !verdict_.so_far().same_hosts.empty()) return part(out);
  prepare_all(out);
}

// Another run may reach it yet.
void Run::missed(NodeIndex node, Error error, Instant now, RunEffects& out) {
  if (!may_go_on_without(node) && nodes_[node.value].state < NodeState::stopped) {
    out.push_back(DropHost{node});
    nodes_[node.value].state = NodeState::gone;
  }
  unfit(node, std::move(error), now, out);
}

void Run::unfit(NodeIndex node, Error error, Instant now, RunEffects& out) {
  now_ = now;
  if (may_go_on_without(node)) return host_missed(node, std::move(error), out);
  fail_on_the_way(node, std::move(error), out);
}

void Run::lost(NodeIndex node, Error error, Instant now, RunEffects& out) {
  now_ = now;
  lose(node, std::move(error), out);
}

void Run::heard(NodeIndex node, wire::ToHead message, const HostClock& clock, Instant now,
                RunEffects& out) {
  now_ = now;
  if (nodes_[node.value].state == NodeState::gone) return;
  if (!speaks_for_itself(node, message)) {
    return cut(node, "its agent sent a message about a rank of another host", out);
  }
  const bool is_of_task = std::holds_alternative<wire::Exited>(message) ||
                          std::holds_alternative<wire::Started>(message) ||
                          std::holds_alternative<wire::Aborted>(message) ||
                          std::holds_alternative<wire::Attendance>(message);
  if (is_of_task && nodes_[node.value].state < NodeState::running) {
    return cut(node, "its agent sent a message about a rank that it was not told to start", out);
  }
  std::visit(
      [&](auto& one) {
        using Message = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<Message, wire::Exited>) {
          exited(node, one, clock, out);
        } else {
          hear(node, one, out);
        }
      },
      message);
}

void Run::printed(NodeIndex node, Rank rank, const std::string& errors) {
  if (owns(node, rank)) verdict_.remember(rank, errors);
}

bool Run::owns(NodeIndex node, Rank rank) const {
  return rank.value < ranks_.size() && input_.plan.ranks[rank.value].node == node;
}

// What comes from another machine may be nonsense: a rank that is not there must not be looked up.
bool Run::speaks_for_itself(NodeIndex node, const wire::ToHead& message) const {
  const auto owned = [&](Rank rank) { return owns(node, rank); };
  return std::visit(
      [&](const auto& one) {
        using Message = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<Message, wire::Exited>) {
          return owned(one.exit.rank);
        } else if constexpr (std::is_same_v<Message, wire::Attendance>) {
          return std::ranges::all_of(one.ranks, owned);
        } else if constexpr (requires { one.rank; }) {
          return owned(one.rank);
        } else {
          return true;
        }
      },
      message);
}

// ---- preparing, starting ----------------------------------------------------------------------

void Run::part(RunEffects& out) {
  for (Node& node : nodes_) node.state = NodeState::stopped;
  leave_when_stopped(out);
}

void Run::prepare_all(RunEffects& out) {
  CHECK(state_ == State::opening && !stop_);
  state_ = State::preparing;
  reach(model::Phase::greeted, out);
  where_ = plan::rendezvous(own_plan(), all_facts());
  where_.point.round = input_.starts_before + round_;
  if (input_.deadline) where_.point.deadline = std::to_string(*input_.deadline);
  if (input_.spec.verbose) tell_networks(where_, out);
  if (round_ == 0) warn_loaders(out);
  const std::string left = leave_claimed_devices();
  const auto enough = plan::check_devices(input_.spec, own_plan(), where_).and_then([&] {
    return plan::check_ports(input_.spec, own_plan(), where_);
  });
  if (!enough) return fault(enough.error(), "", out);
  if (!left.empty() && round_ == 0) warn(left, out);
  const std::string shared = plan::shared_devices(input_.spec, own_plan(), where_, input_.kept);
  if (!shared.empty() && round_ == 0) warn(shared, out);
  if (input_.spec.gloo) return serve_gloo(out);
  order_all(out);
}

// Of the first host that has some, as lines for all would be many.
std::string Run::leave_claimed_devices() {
  std::string line;
  std::size_t others = 0;
  for (std::uint32_t i = 0; i < own_nodes(); ++i) {
    const auto& facts = nodes_[i].facts;
    if (!facts) continue;
    const std::string left =
        plan::leave_claimed(input_.spec, own_plan(), where_, NodeIndex(i), facts->claimed);
    plan::follow_gpus(input_.spec, changed_plan(), where_, NodeIndex(i));
    if (left.empty()) continue;
    if (!line.empty()) ++others;
    if (line.empty()) line = left + kLeftToOthers;
  }
  if (others > 0)
    line += fmt::format("; likewise on {} more host{}", others, others == 1 ? "" : "s");
  return line;
}

void Run::serve_gloo(RunEffects& out) {
  const std::string& interface = input_.spec.gloo->interface;
  if (interface.empty() && where_.head.empty()) {
    return fault(
        {Fault::cannot_start,
         "no host has reported the address of this machine, at which ranks would meet",
         "name an interface with --network-interface, or use --mpi, which needs no address",
         {}},
        "", out);
  }
  out.push_back(
      ServeGloo{interface, where_.head, plan::gloo_scopes(own_plan()), addresses(all_facts())});
}

void Run::gloo_served(base::Result<GlooServed::At> at, Instant now, RunEffects& out) {
  now_ = now;
  if (state_ != State::preparing) return;
  if (!at) return fault(std::move(at.error()), "", out);
  where_.point.gloo_address = at->address;
  where_.point.gloo_port = std::to_string(at->port);
  order_all(out);
}

void Run::order_all(RunEffects& out) {
  CHECK(state_ == State::preparing);
  for (ToNodes& told : told_to_all(first_orders())) out.push_back(std::move(told));
  const std::vector<Rank> fed = stdin_.targets();
  for (std::uint32_t i = 0; i < own_nodes(); ++i) prepare(NodeIndex(i), fed, out);
}

OrdersFor Run::first_orders() const {
  OrdersFor orders{input_.spec, own_plan(), where_, input_.kept, input_.job, first_world()};
  orders.window = window();
  if (pmix_) orders.nspace = pmix_->nspace();
  return orders;
}

// What AppDialects makes of it is no more than a default: the user's own variables win.
void Run::tell_networks(const plan::Rendezvous& where, RunEffects& out) const {
  if (own_nodes() < 2) return;
  for (std::uint32_t i = 0; i < own_nodes(); ++i) tell_network(NodeIndex(i), where, i, out);
  tell(model::MeetingPointChosen{where.point.address, where.point.port}, out);
}

void Run::tell_network(NodeIndex node, const plan::Rendezvous& where, std::size_t place,
                       RunEffects& out) const {
  tell(model::NetworkChosen{host(node), where.interfaces[place], where.point.addresses[place],
                            where.reasons[place], where.rdma[place]},
       out);
}

void Run::prepare(NodeIndex node, const std::vector<Rank>& fed, RunEffects& out) const {
  wire::Prepare told = told_to(node, first_orders(), fed);
  told.claims = plan::claims_of(own_plan(), node);
  const auto& facts = nodes_[node.value].facts;
  if (nodes_[node.value].claims_devices) {
    told.device_claims = plan::device_claims(input_.spec, own_plan(), where_, node);
  }
  const bool has_the_store = input_.plan.ranks.front().node == node;
  if (input_.spec.torch_store && has_the_store && facts) told.held_port = facts->port;
  out.push_back(ToNode{node, std::move(told)});
}

std::string Run::hostfile() const {
  const std::string& other = input_.spec.hostfile;
  return other.empty() ? plan::hostfile_text(input_.plan) : other;
}

std::uint32_t Run::window() const { return window_for(first_world().world.size); }

std::uint32_t Run::window_for(std::size_t ranks) const {
  constexpr std::size_t kAll = 8u << 20;
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(kAll / std::max<std::size_t>(2 * ranks, 1), 16u << 10, 256u << 10));
}

// A host that has joined for ranks to be spawned is not asked to, whatever it says.
bool Run::is_preparing(NodeIndex node) const {
  const bool is_asked = state_ == State::preparing && !idle(node);
  return is_asked && nodes_[node.value].state == NodeState::greeted;
}

void Run::hear(NodeIndex index, wire::Prepared& message, RunEffects& out) {
  if (message.world > 1) return conclude(spawns_.prepared(index, message.world), out);
  if (!is_preparing(index)) return;
  Node& node = nodes_[index.value];
  node.state = NodeState::prepared;
  node.outside = std::move(message.outside);
  node.no_memory = std::move(message.no_memory);
  node.unanswered = std::move(message.unanswered);
  tell_failed_hosts(out);
  if (stop_ || !all_own_prepared()) return;
  if (round_ == 0) {
    tell_outside(out);
    tell_no_memory(out);
    tell_unanswered(out);
  }
  start_all(out);
}

// One line for all hosts whose kernel binds no memory.
void Run::tell_no_memory(RunEffects& out) const {
  std::vector<NodeIndex> refusing;
  for (std::uint32_t i = 0; i < own_nodes(); ++i) {
    if (!nodes_[i].no_memory.empty()) refusing.emplace_back(i);
  }
  if (refusing.empty()) return;
  const auto name = [&](std::size_t i) { return host(refusing[i]); };
  warn(fmt::format("{}: memory is not bound there: the kernel refuses it ({})",
                   view::first_few(refusing.size(), name),
                   view::printable(nodes_[refusing.front().value].no_memory)),
       out);
}

// One line for all hosts where the jobs that share GPUs are not known.
void Run::tell_unanswered(RunEffects& out) const {
  std::vector<NodeIndex> silent;
  for (std::uint32_t i = 0; i < own_nodes(); ++i) {
    if (!nodes_[i].unanswered.empty()) silent.emplace_back(i);
  }
  if (silent.empty()) return;
  const auto name = [&](std::size_t i) { return host(silent[i]); };
  warn(fmt::format("{}: {}, so which GPU a part belongs to is not known there: another job may use "
                   "that GPU as a whole",
                   view::first_few(silent.size(), name),
                   view::printable(nodes_[silent.front().value].unanswered)),
       out);
}

// One line for all hosts that have another Python than the user's shell, or none.
void Run::tell_outside(RunEffects& out) const {
  std::vector<NodeIndex> strayed;
  for (std::uint32_t i = 0; i < own_nodes(); ++i) {
    if (!nodes_[i].outside.empty()) strayed.emplace_back(i);
  }
  const auto has_one = [](const model::App& app) { return !app.python_program.empty(); };
  const auto app = std::ranges::find_if(input_.spec.apps, has_one);
  if (strayed.empty() || app == input_.spec.apps.end()) return;
  const auto name = [&](std::size_t i) { return host(strayed[i]); };
  const std::string found = view::printable(nodes_[strayed.front().value].outside);
  const char* how = found.starts_with('/') ? "ranks run {} there" : "ranks find no {} there";
  warn(fmt::format("{}: no {}, the environment that your shell is in; {}",
                   view::first_few(strayed.size(), name), app->python_environment,
                   fmt::format(fmt::runtime(how), found)),
       out);
}

// Between the plan and the claim another job came first: this one's ranks go elsewhere, or are not
// bound. After kClaimTries plans nothing is claimed any more: claims are advice. Those that leave a
// device to others do not count: there is one less each time, so they end by themselves.
void Run::hear(NodeIndex index, wire::Taken& message, RunEffects& out) {
  constexpr std::uint32_t kClaimTries = 3;
  if (!is_preparing(index)) return;
  Node& node = nodes_[index.value];
  const bool leaves_some = plan::deals_any(input_.spec, own_plan(), where_, index, message.devices);
  if (!leaves_some && ++node.taken > kClaimTries) return;
  const bool last = node.taken == kClaimTries;
  if (const auto& topology = input_.plan.nodes[index.value].host.topology) {
    const std::string told =
        plan::yield_claimed(changed_plan(), index, last ? topology->allowed : message.cpus);
    if (!told.empty()) warn(told, out);
  }
  if (last) node.claims_devices = false;
  if (!message.devices.empty() && !leave_devices(index, message.devices, out)) return;
  prepare(index, stdin_.targets(), out);
}

// What was named for a host is used all the same, unless no more than a number of them is wanted.
// False: the job has failed.
bool Run::leave_devices(NodeIndex index, const std::vector<model::Devices>& taken,
                        RunEffects& out) {
  const model::PlannedNode& planned = own_plan().nodes[index.value];
  if (!planned.host.visible.empty() && input_.spec.gpus_per_rank == 0) {
    nodes_[index.value].claims_devices = false;
    warn(plan::held_devices(planned, taken) + ", too", out);
    return true;
  }
  const std::string left = plan::leave_claimed(input_.spec, own_plan(), where_, index, taken);
  plan::follow_gpus(input_.spec, changed_plan(), where_, index);
  const auto enough = plan::check_devices(input_.spec, own_plan(), where_);
  if (!enough) {
    fault(enough.error(), "", out);
    return false;
  }
  if (!left.empty()) warn(left + kLeftToOthers, out);
  return true;
}

void Run::start_all(RunEffects& out) {
  CHECK(state_ == State::preparing && !stop_);
  state_ = State::running;
  reach(model::Phase::prepared, out);
  for (std::uint32_t i = 0; i < own_nodes(); ++i) {
    nodes_[i].state = NodeState::running;
    out.push_back(ToNode{NodeIndex(i), wire::Start{}});
  }
  if (stdin_.ended()) end_input(out);
}

void Run::hear(NodeIndex node, wire::Started& message, RunEffects& out) {
  if (!ranks_.start(message.rank, message.pid)) return;
  tell(model::RankStarted{message.rank, node, message.pid}, out);
  if (!ranks_.all_started()) return;
  reach(model::Phase::started, out);
  input_flow(out);
}

void Run::hear(NodeIndex, wire::Output&, RunEffects&) {}        // the data's own way
void Run::hear(NodeIndex, wire::FromLauncher&, RunEffects&) {}  // its own run
void Run::hear(NodeIndex, wire::Reached&, RunEffects&) {}       // only heads say it
void Run::hear(NodeIndex, wire::Unreached&, RunEffects&) {}     // likewise
void Run::hear(NodeIndex, wire::OutputEnd&, RunEffects&) {}     // likewise

void Run::hear(NodeIndex, wire::Welcome&, RunEffects&) {}  // greeted()
void Run::hear(NodeIndex, wire::Pong&, RunEffects&) {}     // for Hosts alone

// ---- telling ----------------------------------------------------------------------------------

void Run::tell(model::RunEvent event, RunEffects& out) const {
  out.push_back(Tell{std::move(event)});
}

void Run::warn(std::string text, RunEffects& out) const {
  tell(model::Warned{std::move(text)}, out);
}

void Run::reach(model::Phase phase, RunEffects& out) const {
  tell(model::PhaseReached{phase, std::chrono::duration_cast<Duration>(now_ - started_at_)}, out);
}

std::string Run::name_of(Rank rank) const {
  return fmt::format("{} on {}", view::rank_name(verdict_.so_far().worlds, rank),
                     host(input_.plan.ranks[rank.value].node));
}

// ---- small answers ----------------------------------------------------------------------------

// At least: of those that are no more to come, too.
bool Run::all(NodeState state) const {
  return std::ranges::all_of(nodes_, [&](const Node& node) { return node.state >= state; });
}

bool Run::all_own_prepared() const {
  for (std::uint32_t i = 0; i < own_nodes(); ++i) {
    if (nodes_[i].state < NodeState::prepared) return false;
  }
  return true;
}

// Index: node of the first world.
std::vector<std::optional<model::HostFacts>> Run::all_facts() const {
  std::vector<std::optional<model::HostFacts>> facts;
  facts.reserve(own_nodes());
  for (std::uint32_t i = 0; i < own_nodes(); ++i) facts.push_back(nodes_[i].facts);
  return facts;
}

}  // namespace muster::machine
