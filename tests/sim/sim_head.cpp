// Effects of the head's machine become messages on links; what users do becomes events.
#include "sim/sim_head.hpp"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

#include "sim/words.hpp"
#include "view/run_event_words.hpp"

namespace muster::sim {

using base::Instant;
using base::NodeIndex;
using base::Rank;
using wire::Stream;

namespace {
constexpr std::uint64_t kInputChunk = 64u << 10;
constexpr Duration kInputPace(1);
}  // namespace

SimHead::SimHead(Agenda& agenda, const Scenario& world, machine::RunInput input, Court& court,
                 SimHeadEvents events)
    : agenda_(agenda), world_(world), machine_(input), court_(court), events_(std::move(events)) {
  for (const model::PlannedNode& node : input.plan.nodes) hosts_.push_back(node.host.name);
  open_flow(input.plan);
}

void SimHead::start() {
  first_credit(base::kFirstRun);
  users_plans();
  machine::HeadEffects effects;
  machine_.start(agenda_.now(), effects);
  perform_all(effects);
  court_.turn_over(machine_);
  arm();
}

// Begins between two events.
void SimHead::add(machine::RunInput input, std::optional<base::RunIndex> within) {
  open_flow(input.plan);
  const base::RunIndex run(flows_.size());
  pumping_ = true;
  turn([&](machine::HeadMachine& machine, machine::HeadEffects& out) {
    machine.add(input, within, agenda_.now(), out);
  });
  first_credit(run);
  pump();
}

void SimHead::open_flow(const model::Plan& plan) {
  Flow& added = flows_.emplace_back();
  for (const model::PlannedRank& rank : plan.ranks) {
    added.hosts.push_back(plan.nodes[rank.node.value].host.name);
  }
}

void SimHead::first_credit(base::RunIndex run) {
  Flow& one = flow(run);
  const auto size = static_cast<std::uint32_t>(one.hosts.size());
  const std::uint32_t window = machine_.run(run).window();
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    court_.credited(run, Rank(rank), Stream::out, window);
    court_.credited(run, Rank(rank), Stream::err, window);
  }
  one.windows.assign(size, window);
  one.owed.assign(2 * std::size_t{size}, 0);
  one.patience = {};
}

NodeIndex SimHead::host_named(const std::string& name) const {
  return NodeIndex(std::ranges::find(hosts_, name) - hosts_.begin());
}

// The first goes without saying.
std::string SimHead::prefix(base::RunIndex run) const {
  return run == base::kFirstRun ? "" : fmt::format("run {} ", run.value);
}

void SimHead::users_plans() {
  const auto at = [this](Duration when, std::function<void()> what) {
    agenda_.at(Agenda::kStart + when,
               [this, what = std::move(what)] { when_awake([what] { what(); }); });
  };
  for (const UserAct& act : world_.signals) {
    at(act.at, [this, number = act.signal] {
      if (!alive_) return;
      events_.note("user sends " + signal_name(number));
      events_.met("the user sends " + signal_name(number));
      feed(machine::UserSignal{number});
    });
  }
  if (world_.output_closes) {
    at(*world_.output_closes, [this] {
      events_.met("nobody reads the output any more");
      feed(machine::OutputClosed{});
    });
  }
  if (!world_.reader_pauses) return;
  const bool comes_back = world_.reader_pause != Duration(0);
  at(*world_.reader_pauses, [this] {
    reader_away_ = true;
    events_.met("the reader of the output pauses");
  });
  if (!comes_back) return;
  at(*world_.reader_pauses + world_.reader_pause, [this] {
    reader_away_ = false;
    give_all_credit();
  });
}

// ---- events in order, as the real pump has them -------------------------------------------------

void SimHead::when_awake(std::function<void()> what) {
  if (!alive_) return;
  if (!asleep_) return what();
  missed_.push_back(std::move(what));
}

void SimHead::feed(machine::HeadEvent event) {
  when_awake([this, event = std::move(event)] {
    queue_.push_back(event);
    if (pumping_) return;
    pumping_ = true;
    pump();
  });
}

void SimHead::pump() {
  while (!queue_.empty() && alive_) {
    machine::HeadEvent next = std::move(queue_.front());
    queue_.pop_front();
    take(std::move(next));
  }
  pumping_ = false;
  arm();
}

void SimHead::take(machine::HeadEvent event) {
  court_.hears(event);
  turn([&](machine::HeadMachine& machine, machine::HeadEffects& out) {
    machine.step(agenda_.now(), event, out);
  });
}

// A copy of the machine does the same.
void SimHead::turn(const Change& change) {
  machine::HeadMachine twin = machine_;
  machine::HeadEffects effects, of_twin;
  change(twin, of_twin);
  change(machine_, effects);
  machine_.check();
  court_.compares(effects == of_twin && machine_ == twin);
  perform_all(effects);
  court_.turn_over(machine_);
}

void SimHead::perform_all(machine::HeadEffects& effects) {
  for (const machine::HeadEffect& effect : effects) court_.does(effect);
  for (machine::HeadEffect& effect : effects) {
    std::visit([this](auto& one) { perform(one); }, effect);
  }
}

void SimHead::arm() {
  const auto deadline = machine_.deadline();
  if (!alive_ || deadline == armed_) return;
  armed_ = deadline;
  if (deadline) agenda_.at(*deadline, [this, when = *deadline] { wake(when); });
}

void SimHead::wake(Instant when) {
  when_awake([this, when] {
    if (armed_ != when) return;
    armed_.reset();
    ticks_in_a_row_ = last_tick_ == agenda_.now() ? ticks_in_a_row_ + 1 : 0;
    last_tick_ = agenda_.now();
    if (ticks_in_a_row_ > kTicksInARow) {
      court_.complain("the head spins");
      alive_ = false;
    }
    feed(machine::HeadTick{});
  });
}

// ---- effects ------------------------------------------------------------------------------------

void SimHead::perform(machine::CloseLink& effect) {
  events_.note(fmt::format("closes the link to {}", hosts_[effect.node.value]));
  events_.close_link(effect.node);
}

void SimHead::perform(machine::AddHost& effect) {
  events_.note("calls " + effect.host.name);
  hosts_.push_back(effect.host.name);
  events_.add_host(effect);
}

void SimHead::perform(machine::AddWorld& effect) {
  events_.note(fmt::format("{}adds world {} of {} ranks", prefix(effect.run), effect.world.number,
                           effect.world.size));
  Flow& one = flow(effect.run);
  for (const model::PlannedRank& planned : effect.ranks) {
    const Rank rank(one.hosts.size());
    one.hosts.push_back(hosts_[planned.node.value]);
    one.windows.push_back(effect.window);
    court_.credited(effect.run, rank, Stream::out, effect.window);
    court_.credited(effect.run, rank, Stream::err, effect.window);
  }
  one.owed.resize(2 * one.hosts.size());
  events_.add_world(effect);
}

void SimHead::perform(machine::NewRound& effect) {
  events_.note(prefix(effect.run) + "begins another round");
  events_.met("a run begins another round");
  first_credit(effect.run);
}

// Of the only run it goes without saying.
void SimHead::perform(machine::RunOver& effect) {
  if (flows_.size() > 1) events_.note(fmt::format("is done with run {}", effect.run.value));
}

// The court has seen it; people read it.
void SimHead::perform(machine::Tell& effect) {
  if (const auto* joined = std::get_if<model::HostJoined>(&effect.event)) {
    events_.host_joined(effect.run, *joined);
  }
  const std::string words = view::words(effect.event);
  if (!words.empty()) events_.note(prefix(effect.run) + "says \"" + words + "\"");
}

void SimHead::perform(machine::Finish&) { events_.note("finishes"); }

// Sleeps once what was said has been written.
void SimHead::perform(machine::SuspendSelf&) {
  agenda_.after(Duration(0), [this] {
    if (!alive_) return;
    events_.note("sleeps");
    asleep_ = true;
    agenda_.after(world_.sleeps, [this] { go_on(); });
  });
}

void SimHead::go_on() {
  if (!std::exchange(asleep_, false) || !alive_) return;
  events_.note("wakes");
  court_.woke();
  std::vector<std::function<void()>> missed;
  missed.swap(missed_);
  if (!world_.tick_before_cont) feed(machine::UserSignal{SIGCONT});
  if (world_.tick_before_cont && armed_ && *armed_ <= agenda_.now()) wake(*armed_);
  if (world_.tick_before_cont) feed(machine::UserSignal{SIGCONT});
  for (const auto& one : missed) one();
  arm();
}

// ---- output -------------------------------------------------------------------------------------

void SimHead::output(NodeIndex node, base::RunIndex run, Rank rank, Stream stream,
                     std::uint64_t offset, std::uint32_t count) {
  when_awake([=, this] {
    if (court_.finished()) return;
    court_.output(node, run, rank, stream, offset, count);
    feed(machine::Printed{node, rank, stream == Stream::err ? "trouble\n" : "", run});
    const std::size_t lane = 2 * rank.value + (stream == Stream::err ? 1 : 0);
    flow(run).owed[lane] += count;
    if (!reader_away_) flow(run).taken += count;
    if (!reader_away_ || flow(run).patience.over())
      give_credit(run, lane, flow(run).windows[rank.value] / 2);
  });
}

// A reader that stands still does not keep the ranks from being ended.
void SimHead::note_stop(base::RunIndex run, const wire::ToAgent& message) {
  const auto* stop = std::get_if<wire::Stop>(&message);
  if (stop == nullptr) return;
  Flow& one = flow(run);
  one.patience.stop(Duration(stop->grace_ms), agenda_.now(), {one.taken, reader_away_});
  watch_reader(run);
}

void SimHead::watch_reader(base::RunIndex run) {
  const auto deadline = flow(run).patience.deadline();
  if (!deadline) return;
  agenda_.at(*deadline, [this, run] {
    when_awake([this, run] {
      Flow& one = flow(run);
      const bool was_over = one.patience.over();
      one.patience.look(agenda_.now(), {one.taken, reader_away_});
      if (!one.patience.over()) return watch_reader(run);
      if (was_over) return;
      events_.met("a reader that stands still is not waited for");
      give_all_credit();
    });
  });
}

void SimHead::give_all_credit() {
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    for (std::size_t lane = 0; lane < flows_[i].owed.size(); ++lane) {
      if (!reader_away_ || flows_[i].patience.over()) give_credit(base::RunIndex(i + 1), lane, 1);
    }
  }
}

void SimHead::give_credit(base::RunIndex run, std::size_t lane, std::uint32_t at_least) {
  Flow& one = flow(run);
  if (one.owed[lane] < at_least) return;
  const Rank rank(lane / 2);
  const Stream stream = lane % 2 == 0 ? Stream::out : Stream::err;
  court_.credited(run, rank, stream, one.owed[lane]);
  const std::uint32_t count = std::exchange(one.owed[lane], 0);
  const NodeIndex host = host_named(one.hosts[rank.value]);
  events_.send(host, wire::Credit{rank, stream, count}, {run, wire::HostSet(host)});
}

// ---- input --------------------------------------------------------------------------------------

void SimHead::perform(machine::ReadInput& effect) {
  events_.note(effect.on ? "reads its input" : "leaves its input alone");
  reading_input_ = effect.on;
  read_input();
}

void SimHead::read_input() {
  if (!reading_input_ || input_under_way_ || input_ended_) return;
  input_under_way_ = true;
  agenda_.after(kInputPace, [this] {
    when_awake([this] {
      input_under_way_ = false;
      if (!reading_input_ || input_ended_) return;
      const std::uint64_t count = std::min(kInputChunk, world_.input_bytes - input_read_);
      input_read_ += count;
      if (count == 0) {
        input_ended_ = true;
        return feed(machine::InputEnded{});
      }
      feed(machine::InputBytes{std::string(count, 'x')});
      read_input();
    });
  });
}

}  // namespace muster::sim
