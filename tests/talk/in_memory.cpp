// Does at once, or lets fail, what the machines ask for; time goes on by drawn steps.
#include "talk/in_memory.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "machine/agent_machine.hpp"
#include "machine/head_machine.hpp"
#include "talk/agent_part.hpp"
#include "talk/draws.hpp"
#include "talk/head_part.hpp"

namespace muster::talk {
namespace {

using base::NodeIndex;
using base::Rank;
using namespace std::chrono_literals;

constexpr base::Instant kStart{std::chrono::seconds(100)};
constexpr std::uint32_t kTurnsMax = 400;

base::Error broken() { return {base::Fault::lost, "cut", {}, {}}; }

// Time goes on, often to the deadline of a machine. True: that has come.
bool waits_until_due(Dice& dice, std::optional<base::Instant> due, base::Instant& now) {
  if (due && dice.chance(0.6)) now = std::max(now, *due);
  now += dice.between(base::Duration(0), base::Duration(800));
  return due && *due <= now;
}

// ---- the head's machine, with played agents -----------------------------------------------------

class HearingHead {
 public:
  explicit HearingHead(Dice& dice) : HearingHead(dice, input_of(dice)) {}

  std::uint64_t play() {
    machine::HeadEffects effects;
    machine_.start(now_, effects);
    perform_all(effects);
    const std::uint32_t turns = dice_.between(20, kTurnsMax);
    for (std::uint32_t i = 0; i < turns && !machine_.finished(); ++i) {
      now_ += dice_.between(base::Duration(0), base::Duration(3));
      turn();
      answer_all();
      if (i % 16 == 0) machine_.check();
    }
    machine_.check();
    return heard_;
  }

 private:
  HearingHead(Dice& dice, machine::RunInput input) : dice_(dice), machine_(input) {
    for (const model::PlannedRank& rank : input.plan.ranks) {
      ranks_.emplace(Rank(ranks_.size()), rank.node);
    }
  }

  struct Host {
    explicit Host(Dice& dice)
        : mood(draw_mood(dice)), part(std::make_unique<AgentPart>(line, Dice(dice.next()))) {}
    HeldLine line;
    Mood mood;
    std::unique_ptr<AgentPart> part;
    wire::HeadReader reader;
    bool up = false;
  };

  static machine::RunInput input_of(Dice& dice) {
    machine::RunInput input;
    input.spec = draw_spec(dice, "muster");
    input.plan = draw_plan(dice);
    input.kept = {{{}}, {{}}};
    input.job = "talk";
    input.secret = "secret";
    input.survey = dice.chance(0.05);
    input.holds_spare = dice.chance(0.2);
    input.keeps_links = dice.chance(0.2);
    return input;
  }

  void turn() {
    const std::uint32_t what = dice_.between(0, 99);
    if (what < 80) return hear_one();
    if (what < 92) return wait();
    if (what < 94) return lose_one();
    disturb();
  }

  void hear_one() {
    if (hosts_.empty()) return;
    auto host = hosts_.begin();
    std::advance(host, dice_.between(0, static_cast<std::uint32_t>(hosts_.size()) - 1));
    const NodeIndex node = host->first;
    if (!host->second->up) return open(node);
    host->second->part->step(host->second->mood);
    host->second->reader.feed(std::exchange(host->second->line.said, {}));
    while (hosts_.contains(node) && read(node, *hosts_.at(node))) {
    }
    if (hosts_.contains(node) && hosts_.at(node)->line.stopped) lose(node);
  }

  // Agents that are not there yet have not been heard; nor are those that never come.
  void open(NodeIndex node) {
    constexpr std::array kRetries = {machine::Retry::no, machine::Retry::briefly,
                                     machine::Retry::patiently};
    if (dice_.chance(0.9)) {
      hosts_.at(node)->up = true;
      return feed(machine::LinkUp{node});
    }
    hosts_.erase(node);
    feed(machine::LinkFailed{node, broken(), kRetries[dice_.between(0, kRetries.size() - 1)]});
  }

  // One frame; false: there is none.
  bool read(NodeIndex node, Host& host) {
    auto item = host.reader.next();
    if (item && !*item) return false;
    const wire::Address from = host.reader.address();
    if (!item || (!from.hosts.empty() && from.hosts != wire::HostSet(node))) {
      lose(node);
      return false;
    }
    ++heard_;
    if (auto* message = std::get_if<wire::ToHead>(&**item)) {
      feed(machine::Heard{node, std::move(*message), from.run});
    } else {
      print(node, std::get<wire::OutputView>(**item));
    }
    return true;
  }

  // Only what comes from a rank's own host is handed on.
  void print(NodeIndex node, const wire::OutputView& view) {
    const auto found = ranks_.find(view.rank);
    if (found == ranks_.end() || found->second != node) return;
    feed(machine::Printed{node, view.rank, std::string(view.bytes), machine_.first()});
  }

  void lose(NodeIndex node) {
    const bool up = hosts_.at(node)->up;
    hosts_.erase(node);
    if (up) return feed(machine::LinkLost{node, broken()});
    feed(machine::LinkFailed{node, broken(), machine::Retry::no});
  }

  void lose_one() {
    if (!hosts_.empty()) lose(hosts_.begin()->first);
  }

  void wait() {
    if (waits_until_due(dice_, machine_.deadline(), now_)) feed(machine::HeadTick{});
  }

  void disturb() {
    constexpr std::array kSignals = {SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGTSTP, SIGQUIT, SIGCONT};
    switch (dice_.between(0, 9)) {
      case 0:
        return feed(machine::UserSignal{kSignals[dice_.between(0, kSignals.size() - 1)]});
      case 1:
        if (!std::exchange(output_closed_, true)) feed(machine::OutputClosed{dice_.chance(0.3)});
        return;
      case 2:
        return feed(machine::AllocationEnds{0, base::Duration(dice_.between(0, 2000))});
      case 3:
        return tell_store();
      default:
        if (reads_input_ && dice_.chance(0.9)) return feed(machine::InputBytes{"input"});
        if (reads_input_) feed(machine::InputEnded{});
    }
  }

  // Whoever may use it may name any rank.
  void tell_store() {
    if (!store_served_) return;
    const std::string from = dice_.chance(0.9) ? "" : "10.0.0.7";
    feed(machine::GlooJoined{Rank(dice_.between(0, 9)), from, machine_.first()});
  }

  void feed(machine::HeadEvent event) {
    machine::HeadEffects effects;
    machine_.step(now_, std::move(event), effects);
    perform_all(effects);
  }

  void answer_all() {
    while (!answers_.empty()) {
      machine::HeadEvent event = std::move(answers_.front());
      answers_.pop_front();
      feed(std::move(event));
    }
  }

  void perform_all(const machine::HeadEffects& effects) {
    for (const machine::HeadEffect& effect : effects) {
      std::visit([this](const auto& one) { perform(one); }, effect);
    }
  }

  void perform(const machine::OpenLink& effect) {
    hosts_[effect.node] = std::make_unique<Host>(dice_);
  }
  void perform(const machine::CloseLink& effect) { hosts_.erase(effect.node); }
  void perform(const machine::KeepLink& effect) { hosts_.erase(effect.node); }
  void perform(const machine::LookForHost& effect) {
    answers_.emplace_back(machine::HostSeen{effect.node, dice_.chance(0.5)});
  }
  void perform(const machine::ToNode& effect) { tell(effect.node, effect.run, effect.message); }
  void perform(const machine::ToNodes& effect) {
    for (const NodeIndex node : effect.nodes) tell(node, effect.run, effect.message);
  }
  void perform(const machine::AddWorld& effect) {
    if (effect.run != machine_.first()) return;
    for (std::uint32_t own = 0; own < effect.world.size; ++own) {
      ranks_[Rank(effect.world.first.value + own)] = effect.ranks[own].node;
    }
  }
  void perform(const machine::ServeGloo& effect) {
    machine::GlooServed served{machine::GlooServed::At{"127.0.0.1", 1234}, effect.run};
    if (dice_.chance(0.1)) served.at = tl::unexpected(broken());
    store_served_ = store_served_ || served.at;
    answers_.emplace_back(std::move(served));
  }
  void perform(const machine::ReadInput& effect) { reads_input_ = effect.on; }
  void perform(const machine::SuspendSelf&) { answers_.emplace_back(machine::UserSignal{SIGCONT}); }
  template <class Other>
  void perform(const Other&) {}

  void tell(NodeIndex node, base::RunIndex run, const wire::ToAgent& message) {
    const auto found = hosts_.find(node);
    if (found == hosts_.end()) return;
    wire::append(found->second->line.heard, message, {run, wire::HostSet(node)});
  }

  Dice& dice_;
  base::Instant now_ = kStart;
  machine::HeadMachine machine_;
  std::map<NodeIndex, std::unique_ptr<Host>> hosts_;  // with a link, or about to have one
  std::map<Rank, NodeIndex> ranks_;                   // of all worlds
  std::deque<machine::HeadEvent> answers_;
  bool reads_input_ = false;
  bool output_closed_ = false;
  bool store_served_ = false;
  std::uint64_t heard_ = 0;
};

// ---- the agent's machine, with a played head ----------------------------------------------------

class HearingAgent {
 public:
  explicit HearingAgent(Dice& dice)
      : dice_(dice), machine_(options_of(dice)), part_(line_, Dice(dice.next()), "/nowhere") {
    line_.heard = wire::kMagic;
  }

  std::uint64_t play() {
    const Mood mood = draw_mood(dice_);
    if (dice_.chance(0.95)) part_.hello();
    const std::uint32_t turns = dice_.between(20, kTurnsMax);
    for (std::uint32_t i = 0; i < turns && !gone_; ++i) {
      now_ += dice_.between(base::Duration(0), base::Duration(3));
      turn(mood);
      answer_all();
      if (i % 16 == 0) machine_.check();
    }
    machine_.check();
    return heard_;
  }

 private:
  static machine::AgentOptions options_of(Dice& dice) {
    machine::AgentOptions options;
    options.version = "0";
    options.facts.hostname = "host0";
    options.leased = dice.chance(0.9);
    return options;
  }

  void turn(const Mood& mood) {
    const std::uint32_t what = dice_.between(0, 99);
    if (what < 70 && linked_) return hear(mood);
    if (what < 80) return wait();
    if (what < 98) return live();
    if (what < 99) return cut();
    if (dice_.chance(0.2)) feed(machine::GuardLost{dice_.chance(0.3)});
  }

  void hear(const Mood& mood) {
    part_.step(mood);
    reader_.feed(std::exchange(line_.said, {}));
    while (linked_ && !gone_) {
      auto message = reader_.next();
      if (message && !*message) return;
      if (!message) return cut();
      ++heard_;
      feed(std::move(**message));
    }
  }

  void cut() {
    if (std::exchange(linked_, false)) feed(machine::LinkClosed{});
  }

  void wait() {
    if (waits_until_due(dice_, machine_.deadline(), now_)) feed(machine::Tick{});
  }

  // What tasks do by themselves.
  void live() {
    if (running_.empty()) return;
    auto task = running_.begin();
    std::advance(task, dice_.between(0, static_cast<std::uint32_t>(running_.size()) - 1));
    const Rank rank = task->first;
    switch (dice_.between(0, 4)) {
      case 0:
        return end(rank, dice_.chance(0.5) ? 0 : 9);
      case 1:
        return feed(machine::JoinedWorld{rank, dice_.chance(0.5) ? "" : "an MPI"});
      case 2:
        return feed(machine::WireupSays{wire::FenceIn{dice_.between(0, 2), "blob", 1}});
      case 3:
        return feed(machine::LauncherSays{wire::FromLauncher{1, "bytes"}});
      default:
        return close(rank);
    }
  }

  // `pid`: 0 when it has ended; then only its streams are left.
  struct Task {
    std::int32_t pid = 0;
    bool out = true;
    bool err = true;
  };

  void end(Rank rank, std::int32_t signal) {
    Task& task = running_.at(rank);
    if (task.pid == 0) return;
    model::RankExit exit{.rank = rank, .pid = std::exchange(task.pid, 0)};
    exit.signal = signal;
    feed(machine::TaskEnded{exit});
  }

  void close(Rank rank) {
    Task& task = running_.at(rank);
    if (std::exchange(task.out, false)) {
      feed(machine::StreamEnded{rank, wire::Stream::out});
    } else if (std::exchange(task.err, false)) {
      feed(machine::StreamEnded{rank, wire::Stream::err});
    }
  }

  void feed(machine::AgentEvent event) {
    machine::AgentEffects effects;
    machine_.step(now_, std::move(event), effects);
    for (const machine::AgentEffect& effect : effects) {
      std::visit([this](const auto& one) { perform(one); }, effect);
    }
  }

  void answer_all() {
    while (!answers_.empty() && !gone_) {
      const std::function<void()> answer = std::move(answers_.front());
      answers_.pop_front();
      answer();
    }
  }

  template <class Event>
  void answer(Event event) {
    answers_.emplace_back([this, event = std::move(event)] { feed(event); });
  }

  void perform(const machine::ToHead& effect) {
    if (linked_) wire::append(line_.heard, effect.message, {base::kFirstRun, {}});
  }
  void perform(const machine::ReadTopology&) {
    machine::TopologyRead read{model::SharedTopology{std::make_shared<const model::Topology>()}};
    if (dice_.chance(0.1)) read.topology = tl::unexpected(broken());
    answer(std::move(read));
  }
  void perform(const machine::ClaimPorts& effect) {
    machine::PortsClaimed claimed{std::vector<std::uint16_t>(effect.count, 1234)};
    if (dice_.chance(0.1)) claimed.ports = tl::unexpected(broken());
    answer(std::move(claimed));
  }
  void perform(const machine::BeginRound&) {
    running_.clear();
    answer(machine::RoundBegun{1234});
  }
  void perform(const machine::Check& effect) {
    machine::Checked checked{{}, effect.orders.wireup.world};
    if (dice_.chance(0.1)) checked.error = broken();
    if (!checked.error && dice_.chance(0.1)) checked.taken.emplace();
    answer(std::move(checked));
  }
  void perform(const machine::StartTask& effect) {
    const Rank rank = effect.rank;
    answers_.emplace_back([this, rank] {
      if (dice_.chance(0.05)) return feed(machine::TaskSpawned{rank, 0, broken()});
      running_[rank] = {++last_pid_};
      feed(machine::TaskSpawned{rank, last_pid_, {}});
    });
  }
  void perform(const machine::SignalTask& effect) {
    if (!running_.contains(effect.rank) || dice_.chance(0.5)) return;
    answers_.emplace_back([this, effect] {
      if (running_.contains(effect.rank)) end(effect.rank, 15);
    });
  }
  void perform(const machine::TraceTask& effect) {
    answer(machine::TaskTraced{{effect.rank, "asleep", {}}});
  }
  void perform(const machine::WriteInput& effect) {
    answer(machine::InputTaken{effect.rank, static_cast<std::uint32_t>(effect.bytes.size())});
  }
  void perform(const machine::Sweep&) {
    answers_.emplace_back([this] {
      for (const auto& [rank, task] : std::map(running_)) end(rank, SIGKILL);
      feed(machine::SweepDone{});
    });
  }
  void perform(const machine::DrainStreams&) {
    answers_.emplace_back([this] {
      for (const auto& [rank, task] : std::map(running_)) {
        close(rank);
        close(rank);
      }
    });
  }
  void perform(const machine::LookForHead&) { answer(machine::HeadSeen{dice_.chance(0.5)}); }
  void perform(const machine::DropLink&) {
    answers_.emplace_back([this] { cut(); });
  }
  void perform(const machine::Quit&) { gone_ = true; }
  template <class Other>
  void perform(const Other&) {}

  Dice& dice_;
  base::Instant now_ = kStart;
  machine::AgentMachine machine_;
  HeldLine line_;
  HeadPart part_;
  wire::AgentReader reader_;
  std::map<Rank, Task> running_;
  std::deque<std::function<void()>> answers_;
  std::int32_t last_pid_ = 1000;
  bool linked_ = true;
  bool gone_ = false;
  std::uint64_t heard_ = 0;
};

}  // namespace

std::uint64_t converse_in_memory(std::uint64_t seed) {
  Dice dice(seed);
  return dice.chance(0.5) ? HearingHead(dice).play() : HearingAgent(dice).play();
}

}  // namespace muster::talk
