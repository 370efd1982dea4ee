// The rules that every run has to keep.
#include "sim/judge.hpp"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

#include "machine/host_clock.hpp"
#include "model/carriers.hpp"
#include "sim/words.hpp"

namespace muster::sim {

using base::Fault;
using base::Instant;
using base::NodeIndex;
using base::Rank;
using model::Cause;

namespace {
constexpr std::uint32_t kAttemptsMax[] = {1, 4, 24};  // by machine::Retry
constexpr Duration kOthersFail(1'000);                // in which others may fail, too
}  // namespace

Judge::Judge(const Agenda& agenda, const Scenario& world, const model::Plan& plan, Links links,
             std::function<void(const std::string&)> complain)
    : agenda_(agenda),
      world_(world),
      plan_(plan),
      links_(std::move(links)),
      complain_(std::move(complain)),
      began_(agenda.now()),
      nodes_(plan.nodes.size()),
      lanes_(2 * plan.ranks.size()),
      pmix_(complain_),
      pmi_(complain_),
      rolls_(1),
      first_ranks_(static_cast<std::uint32_t>(plan.ranks.size())),
      first_nodes_(plan.nodes.size()) {
  rolls_.front().size = store_roll_.size = first_ranks_;
  for (std::size_t i = 0; i < first_nodes_; ++i) {
    nodes_[i].here = plan.nodes[i].host.carrier == model::kLocal;
    nodes_[i].link = links_(plan.nodes[i].host.name);
  }
}

Judge::Lane& Judge::lane(Rank rank, wire::Stream stream) {
  return lanes_[2 * rank.value + (stream == wire::Stream::err ? 1 : 0)];
}

std::uint64_t Judge::received(Rank rank, wire::Stream stream) const {
  return lanes_[2 * rank.value + (stream == wire::Stream::err ? 1 : 0)].received;
}

bool Judge::all_stopped() const {
  for (const Node& node : nodes_) {
    if (!node.stopped && !node.idle) return false;
  }
  return true;
}

// ---- what the head hears ------------------------------------------------------------------------

void Judge::hears(const machine::HeadEvent& event) {
  too_late();
  std::visit([this](const auto& one) { on(one); }, event);
}

// Only the first counts, and none after everything has ended well.
void Judge::first(First failure) {
  if (first_ || all_stopped()) return;
  failure.at = agenda_.now();
  first_ = std::move(failure);
}

void Judge::fault(Fault fault, const std::string& what) {
  first({Cause::fault, what, 0, 0, base::exit_code(fault), {}});
}

void Judge::hold_back() {
  if (started_.empty() && !acted_ && !held_until_) held_until_ = agenda_.now() + kOthersFail;
}

void Judge::fails_on_the_way(Fault reason, const std::string& what) {
  hold_back();
  fault(reason, what);
}

void Judge::on(const machine::LinkFailed& event) {
  const Node& node = nodes_[event.node.value];
  if (may_do_without(node)) return;
  if (node.link->attempts >= kAttemptsMax[static_cast<std::size_t>(event.retry)]) {
    fails_on_the_way(event.error.fault, event.error.what);
  }
}

void Judge::on(const machine::LinkLost& event) {
  Node& node = nodes_[event.node.value];
  if (!node.hello) return;  // it was another run's, and is opened again
  const bool is_missed = !node.stopped && !may_do_without(node);
  gone(event.node);
  if (is_missed) fault(event.error.fault, event.error.what);
}

// Whoever is idle while the run ends is as good as stopped.
void Judge::gone(NodeIndex index) {
  Node& node = nodes_[index.value];
  node.closed = true;
  forget_orders(index);
  if (!node.stopped && !(node.idle && acted_)) pmix_.lost(index);
  pmi_.ended(index);
}

void Judge::on(const machine::Heard& event) {
  Node& node = nodes_[event.node.value];
  if (node.closed && node.here) return;
  std::visit([&](const auto& one) { heard(event.node, one); }, event.message);
}

void Judge::on(const machine::UserSignal& event) {
  switch (event.number) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
    case SIGQUIT:
      break;
    default:
      return;
  }
  // One that may have been passed on by others, so soon after the first, is no second wish.
  const bool may_be_passed_on = event.number == SIGTERM || event.number == SIGHUP;
  const bool is_soon = wished_at_ && agenda_.now() <= *wished_at_ + std::chrono::seconds(3);
  if (may_be_passed_on && is_soon) return;
  if (!wished_at_) wished_at_ = agenda_.now();
  if (++interrupts_ == 2) again_ = agenda_.now();
  if (is_held_back()) first_.reset();
  first({Cause::interrupted, {}, 0, event.number, 128 + event.number, {}});
}

void Judge::on(const machine::OutputClosed&) {
  if (first_ && !is_held_back()) return;
  first_.reset();
  ++interrupts_;
  wished_at_ = agenda_.now();
  first({Cause::interrupted, {}, 0, SIGPIPE, 128 + SIGPIPE, {}});
}

void Judge::outer_over() {
  interrupts_ = std::max(interrupts_, 1);
  if (!wished_at_) wished_at_ = agenda_.now();
  outer_over_ = true;
}

void Judge::heard(NodeIndex node, const wire::Exited& message) {
  const model::RankExit& exit = message.exit;
  const bool here = plan_.nodes[node.value].host.carrier == model::kLocal;
  const Duration ahead = here ? Duration(0) : world_.hosts[node.value].clock_ahead;
  ended_at_[exit.rank] = machine::from_wire(message.at_us) - ahead;
  if (!started_.contains(exit.rank)) complain("a rank exits that never started");
  if (!exited_.emplace(exit.rank, exit).second) {
    complain(fmt::format("rank {} exits twice", exit.rank.value));
  }
  if (exit.failed()) {
    first({Cause::rank_failed, {}, exit.rank.value, 0, exit.exit_code(), {}});
  }
  Roll& roll = roll_of(exit.rank);
  if (!roll.here.contains(exit.rank) && !roll.deserter) roll.deserter = exit.rank;
  look_for_deserter(roll);
}

Judge::Roll& Judge::roll_of(Rank rank) {
  const auto after = std::ranges::upper_bound(rolls_, rank.value, {}, &Roll::first);
  return *(after - 1);
}

void Judge::heard(NodeIndex, const wire::Attendance& message) {
  for (const Rank rank : message.ranks) {
    if (exited_.contains(rank)) complain("a rank calls MPI_Init after its end");
    Roll& roll = roll_of(rank);
    if (!roll.here.insert(rank).second) complain("a rank calls MPI_Init twice");
    if (!roll.since) roll.since = agenda_.now();
  }
  for (Roll& roll : rolls_) look_for_deserter(roll);
}

// A store has the ranks of one run's first world alone.
void Judge::on(const machine::GlooJoined& event) {
  if (acted_ || event.rank.value >= first_ranks_) return;
  store_roll_.here.insert(event.rank);
  if (!store_roll_.since) store_roll_.since = agenda_.now();
}

void Judge::look_for_deserter(Roll& roll) {
  if (!roll.waits() || !roll.deserter) return;
  first({Cause::rank_failed, {}, roll.deserter->value, 0, 1, {}});
}

void Judge::heard(NodeIndex node, const wire::PmixUp& message) {
  if (nodes_[node.value].stopped) complain("a PMIx server speaks after its agent has stopped");
  pmix_.asks(node, message.upcall);
}

void Judge::heard(NodeIndex node, const wire::FenceIn& message) { pmi_.asks(node, message); }

// One that comes late may be about input of an earlier round.
void Judge::heard(NodeIndex, const wire::InputCredit& message) {
  std::uint64_t& ahead = input_ahead_[message.rank];
  ahead -= std::min<std::uint64_t>(ahead, message.bytes);
}

bool Judge::waits_since(Instant when) const {
  const auto has = [&](const Roll& roll) { return roll.waits() && *roll.since <= when; };
  return std::ranges::any_of(rolls_, has) || has(store_roll_);
}

void Judge::heard(NodeIndex node, const wire::Refused& message) {
  if (may_do_without(nodes_[node.value])) {
    if (!acted_) gone(node);
    return;
  }
  const std::string& host = plan_.nodes[node.value].host.name;
  fails_on_the_way(message.error.fault,
                   nodes_.size() > 1 ? host + ": " + message.error.what : message.error.what);
}

void Judge::heard(NodeIndex node, const wire::Stopped&) {
  if (nodes_[node.value].stopped) complain("an agent stops twice");
  nodes_[node.value].stopped = true;
  pmix_.ended(node);
  pmi_.ended(node);
  std::erase_if(spawns_, [&](const auto& one) { return one.first == node; });
  forget_orders(node);
  if (all_stopped()) all_stopped_at_ = agenda_.now();
}

// It prepares nothing any more, and starts nothing.
void Judge::forget_orders(NodeIndex node) {
  for (auto& [world, nodes] : unprepared_) nodes.erase(node);
}

void Judge::heard(NodeIndex, const wire::Started& message) {
  if (!started_.insert(message.rank).second) complain("a rank starts twice");
  if (started_.size() == first_ranks_) running_since_ = agenda_.now();
}

void Judge::heard(NodeIndex node, const wire::OutputEnd& message) {
  if (nodes_[node.value].stopped) complain("a stream ends after its agent has stopped");
  if (std::exchange(lane(message.rank, message.stream).ended, true)) {
    complain("a stream ends twice");
  }
}

void Judge::heard(NodeIndex node, const wire::Spawn& message) {
  if (!acted_) spawns_.emplace(node, message.id);
}

void Judge::output(Rank rank, wire::Stream stream, std::uint64_t offset, std::uint32_t count) {
  Lane& one = lane(rank, stream);
  if (one.ended) complain("bytes after the end of their stream");
  if (offset != one.received) complain("bytes are missing, doubled or out of order");
  one.received += count;
  if (one.received > one.credit) complain("more bytes than there was credit for");
}

void Judge::credited(Rank rank, wire::Stream stream, std::uint32_t count) {
  lane(rank, stream).credit += count;
}

// ---- what the agents do -------------------------------------------------------------------------

void Judge::agent_says(NodeIndex node, const wire::ToHead& message) {
  const auto* prepared = std::get_if<wire::Prepared>(&message);
  if (prepared == nullptr) return;
  if (prepared->world == 1) prepared_.insert(node);
  if (prepared->world > 1) unprepared_[prepared->world].erase(node);
}

void Judge::task_starts(Rank rank) {
  if (rank.value >= first_ranks_) {
    const auto world = std::ranges::find_if(unprepared_, [&](const auto& entry) {
      return !entry.second.empty() && starting_.contains(entry.first);
    });
    if (world != unprepared_.end()) complain("a world starts before every host is prepared");
    return;
  }
  if (prepared_.size() != first_nodes_) complain("a task starts before every host is prepared");
}

// ---- what the head does -------------------------------------------------------------------------

void Judge::does(const machine::HeadEffect& effect) {
  if (over_) complain("something is done for a run that is over");
  std::visit([this](const auto& one) { done(one); }, effect);
}

void Judge::joins(const model::HostJoined& event) {
  if (acted_) complain("a host joins while the run ends");
  if (event.node.value != nodes_.size()) complain("a host joins under a wrong number");
  nodes_.emplace_back();
  nodes_.back().here = world_.hosts[event.node.value].carrier == model::kLocal;
  nodes_.back().link = links_(event.name);
  nodes_.back().idle = have_joined_ = true;
}

void Judge::done(const machine::CloseLink& effect) {
  Node& node = nodes_[effect.node.value];
  const bool is_overdue =
      node.link->attempt && agenda_.now() >= *node.link->attempt + world_.patience;
  const bool is_missed = is_overdue && started_.empty() && !acted_ && !may_do_without(node);
  gone(effect.node);
  if (is_missed) {
    const double patience = std::chrono::duration<double>(world_.patience).count();
    return fails_on_the_way(Fault::unreachable,
                            fmt::format("{}: no answer within {:g} s",
                                        plan_.nodes[effect.node.value].host.name, patience));
  }
  if (node.idle || node.stopped) return;
  if (!acted_) acted_ = agenda_.now();
}

// For spawned ranks; before a new round nobody counts as stopped any more.
void Judge::wakes(Node& node) {
  if (acted_) complain("a host is greeted again while the run ends");
  if (node.closed) complain("a host is greeted again that is lost");
  node.stopped = false;
  node.idle = have_joined_ = true;
  node.stops = node.hastened = 0;
}

void Judge::done(const machine::ToNode& effect) {
  Node& node = nodes_[effect.node.value];
  tells(effect.node, effect.message);
  if (std::holds_alternative<wire::Hello>(effect.message)) {
    if (node.stopped) wakes(node);
    node.hello = true;
  }
  if (const auto* stop = std::get_if<wire::Stop>(&effect.message)) stop_to(effect.node, *stop);
  if (const auto* signal = std::get_if<wire::Signal>(&effect.message)) {
    if (signal->number == SIGUSR2) notice_to(effect.node);
  }
  if (std::holds_alternative<wire::Bye>(effect.message)) {
    node.bye = true;
    if (!acted_) acted_ = agenda_.now();
    if (round_is_due()) complain("no new round, though one is due");
  }
  if (std::holds_alternative<wire::Start>(effect.message) && acted_) {
    complain("a start while the run ends");
  }
  const bool stopped = node.stopped;
  if (const auto* prepare = std::get_if<wire::Prepare>(&effect.message)) {
    if (stopped) complain("a host that has ended is asked to prepare");
    if (prepare->world > 1) unprepared_[prepare->world].insert(effect.node);
  }
  if (const auto* start = std::get_if<wire::Start>(&effect.message)) {
    if (stopped) complain("a host that has ended is told to start");
    node.idle = false;
    if (start->world > 1) starting_.insert(start->world);
  }
  if (const auto* drop = std::get_if<wire::Drop>(&effect.message)) unprepared_.erase(drop->world);
  if (const auto* spawned = std::get_if<wire::Spawned>(&effect.message)) {
    if (spawns_.erase({effect.node, spawned->id}) == 0) complain("a spawn is answered twice");
  }
}

void Judge::done(const machine::ToNodes& effect) {
  if (effect.nodes.empty()) complain("a message goes to nobody");
  for (const NodeIndex node : effect.nodes) done(machine::ToNode{node, effect.message});
}

void Judge::orders(NodeIndex node, const wire::Prepare& own) {
  const auto made = machine::host_orders(orders_[node], own);
  if (!made) return complain("no agent could follow these orders: " + made.error().what);
  if (made->tasks.empty()) complain("a host is told to start nothing");
  pmix_.told(node, made->wireup.pmix_jobs);
}

// What is read at once may go beyond the window.
void Judge::feeds(const wire::Input& input) {
  std::uint64_t& ahead = input_ahead_[input.rank];
  if (ahead >= machine::kInputWindow) complain("input runs more than a window ahead");
  ahead += input.bytes.size();
}

void Judge::tells(NodeIndex node, const wire::ToAgent& message) {
  if (const auto* input = std::get_if<wire::Input>(&message)) feeds(*input);
  if (const auto* world = std::get_if<wire::World>(&message)) orders_[node] = *world;
  if (const auto* own = std::get_if<wire::Prepare>(&message)) orders(node, *own);
  if (const auto* start = std::get_if<wire::Start>(&message)) {
    pmix_.starts(node, start->world);
    pmi_.starts(node, start->world);
  }
  if (const auto* fence = std::get_if<wire::FenceOut>(&message)) pmi_.told(node, *fence);
  const auto* down = std::get_if<wire::PmixDown>(&message);
  if (down == nullptr) return;
  if (nodes_[node.value].stopped) complain("a PMIx server is told something after its end");
  pmix_.told(node, down->command);
}

void Judge::done(const machine::AddWorld& effect) {
  if (acted_) complain("a world is added while the run ends");
  lanes_.resize(lanes_.size() + 2 * std::size_t{effect.world.size});
  rolls_.push_back({effect.world.first.value, effect.world.size, {}, {}, {}});
}

// After a rank's failure that nothing else has followed, in time.
bool Judge::round_is_due() const {
  if (world_.timeout && agenda_.now() >= began_ + *world_.timeout) return false;
  const bool linked =
      std::ranges::none_of(nodes_, &Node::closed) && rolls_.size() == 1 && !have_joined_;
  return first_ && first_->cause == Cause::rank_failed && rounds_ < world_.max_restarts &&
         interrupts_ == 0 && all_stopped() && linked;
}

// Nothing is told that was not heard, nothing twice, and nothing after the end. There is no link
// that would be closed when the head gives up its own host.
void Judge::done(const machine::Tell& effect) {
  if (ended_) complain("an event is told after the run's end");
  if (const auto* last = std::get_if<model::RunEnded>(&effect.event)) ended_ = last->report;
  if (const auto* lost = std::get_if<model::HostLost>(&effect.event)) {
    if (nodes_[lost->node.value].here) gone(lost->node);
  }
  if (const auto* joined = std::get_if<model::HostJoined>(&effect.event)) joins(*joined);
  if (const auto* start = std::get_if<model::RankStarted>(&effect.event)) {
    if (!started_.contains(start->rank)) complain("a start is told that nobody spoke of");
    if (!told_started_.insert(start->rank).second) complain("a start is told twice");
  }
  if (const auto* end = std::get_if<model::RankEnded>(&effect.event)) {
    if (!exited_.contains(end->exit.rank)) complain("an end is told that nobody spoke of");
    if (!told_ended_.insert(end->exit.rank).second) complain("an end is told twice");
  }
}

void Judge::done(const machine::NewRound&) {
  if (!round_is_due()) complain("a new round begins without a reason");
  ++rounds_;
  pmix_.begin_round();
  pmi_.begin_round();
  first_.reset();
  acted_.reset();
  all_stopped_at_.reset();
  started_.clear();
  exited_.clear();
  told_started_.clear();
  told_ended_.clear();
  ended_at_.clear();
  prepared_.clear();
  unprepared_.clear();
  starting_.clear();
  spawns_.clear();
  lanes_.assign(2 * std::size_t{first_ranks_}, {});
  input_ahead_.clear();
  rolls_.assign(1, {});
  store_roll_ = {};
  rolls_.front().size = store_roll_.size = first_ranks_;
  for (Node& node : nodes_) {
    node.stopped = false;
    node.stops = node.hastened = 0;
  }
}

void Judge::stop_to(NodeIndex index, const wire::Stop& stop) {
  Node& node = nodes_[index.value];
  if (!acted_) acted_ = agenda_.now();
  int& count = stop.number == 0 ? node.hastened : node.stops;
  if (++count > 1) complain("a Stop is sent twice");
  if (stop.number == 0 && interrupts_ < 2) complain("tasks are killed at once, unasked");
}

bool Judge::holds(NodeIndex index) const {
  const Node& node = nodes_[index.value];
  return node.hello && !node.closed && !node.bye;
}

// Every agent that was greeted for it is told so.
void Judge::done(const machine::RunOver&) {
  over_ = agenda_.now();
  if (!acted_) acted_ = agenda_.now();
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (holds(NodeIndex(i))) complain("a run is over that has not let go of all its hosts");
  }
}

}  // namespace muster::sim
