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

SimHead::SimHead(Agenda& agenda, const Scenario& world, machine::RunInput input, Judge& judge,
                 SimHeadEvents events)
    : agenda_(agenda),
      world_(world),
      plan_(input.plan),
      machine_(std::move(input)),
      judge_(judge),
      events_(std::move(events)),
      owed_(2 * plan_.ranks.size()) {}

void SimHead::start() {
  first_credit();
  users_plans();
  machine::HeadEffects effects;
  machine_.start(agenda_.now(), effects);
  perform_all(effects);
  judge_.turn_over(machine_.report());
  arm();
}

void SimHead::first_credit() {
  for (std::uint32_t rank = 0; rank < plan_.ranks.size(); ++rank) {
    judge_.credited(Rank(rank), Stream::out, machine_.window());
    judge_.credited(Rank(rank), Stream::err, machine_.window());
  }
  windows_.assign(plan_.ranks.size(), machine_.window());
  owed_.assign(2 * plan_.ranks.size(), 0);
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
      feed(machine::UserSignal{number});
    });
  }
  if (world_.output_closes) {
    at(*world_.output_closes, [this] { feed(machine::OutputClosed{}); });
  }
  if (!world_.reader_pauses) return;
  at(*world_.reader_pauses, [this] { reader_away_ = true; });
  at(*world_.reader_pauses + world_.reader_pause, [this] {
    reader_away_ = false;
    for (std::size_t lane = 0; lane < owed_.size(); ++lane) give_credit(lane, 1);
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
    while (!queue_.empty() && alive_) {
      machine::HeadEvent next = std::move(queue_.front());
      queue_.pop_front();
      take(std::move(next));
    }
    pumping_ = false;
    arm();
  });
}

void SimHead::take(machine::HeadEvent event) {
  judge_.hears(event);
  machine::HeadMachine twin = machine_;
  machine::HeadEffects effects, of_twin;
  twin.step(agenda_.now(), event, of_twin);
  machine_.step(agenda_.now(), std::move(event), effects);
  machine_.check();
  judge_.compares(effects == of_twin && machine_ == twin);
  perform_all(effects);
  judge_.turn_over(machine_.report());
}

void SimHead::perform_all(machine::HeadEffects& effects) {
  for (const machine::HeadEffect& effect : effects) judge_.does(effect);
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
      judge_.complain("the head spins");
      alive_ = false;
    }
    feed(machine::HeadTick{});
  });
}

// ---- effects ------------------------------------------------------------------------------------

void SimHead::perform(machine::CloseLink& effect) {
  events_.note(fmt::format("closes the link to {}", plan_.nodes[effect.node.value].host.name));
  events_.close_link(effect.node);
}

void SimHead::perform(machine::AddHost& effect) {
  events_.note("calls " + effect.host.name);
  plan_.nodes.push_back({effect.host, {}});
  events_.add_host(effect);
}

void SimHead::perform(machine::AddWorld& effect) {
  events_.note(fmt::format("adds world {} of {} ranks", effect.world.number, effect.world.size));
  for (const model::PlannedRank& planned : effect.ranks) {
    const Rank rank(plan_.ranks.size());
    plan_.ranks.push_back(planned);
    windows_.push_back(effect.window);
    judge_.credited(rank, Stream::out, effect.window);
    judge_.credited(rank, Stream::err, effect.window);
  }
  owed_.resize(2 * plan_.ranks.size());
  events_.add_world(effect);
}

void SimHead::perform(machine::NewRound&) {
  events_.note("begins another round");
  first_credit();
}

void SimHead::send(NodeIndex node, const wire::ToAgent& message) {
  events_.send(node, message, {base::kFirstRun, wire::HostSet(node)});
}

// The judge has seen it; people read it.
void SimHead::perform(machine::Tell& effect) {
  const std::string words = view::words(effect.event);
  if (!words.empty()) events_.note("says \"" + words + "\"");
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
  judge_.woke();
  std::vector<std::function<void()>> missed;
  missed.swap(missed_);
  if (!world_.tick_before_cont) feed(machine::UserSignal{SIGCONT});
  if (world_.tick_before_cont && armed_ && *armed_ <= agenda_.now()) wake(*armed_);
  if (world_.tick_before_cont) feed(machine::UserSignal{SIGCONT});
  for (const auto& one : missed) one();
  arm();
}

// ---- output -------------------------------------------------------------------------------------

void SimHead::output(NodeIndex node, Rank rank, Stream stream, std::uint64_t offset,
                     std::uint32_t count) {
  when_awake([=, this] {
    if (judge_.finished()) return;
    judge_.output(node, rank, stream, offset, count);
    feed(machine::Printed{node, rank, stream == Stream::err ? "trouble\n" : ""});
    const std::size_t lane = 2 * rank.value + (stream == Stream::err ? 1 : 0);
    owed_[lane] += count;
    if (!reader_away_) give_credit(lane, windows_[rank.value] / 2);
  });
}

void SimHead::give_credit(std::size_t lane, std::uint32_t at_least) {
  if (owed_[lane] < at_least) return;
  const Rank rank(lane / 2);
  const Stream stream = lane % 2 == 0 ? Stream::out : Stream::err;
  judge_.credited(rank, stream, owed_[lane]);
  const std::uint32_t count = std::exchange(owed_[lane], 0);
  send(plan_.ranks[rank.value].node, wire::Credit{rank, stream, count});
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
