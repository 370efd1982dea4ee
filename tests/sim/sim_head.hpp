// SimHead: the head process: adapters of a HeadMachine, with a console that may be slow and a user.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "machine/head_machine.hpp"
#include "machine/reader_patience.hpp"
#include "sim/agenda.hpp"
#include "sim/court.hpp"
#include "sim/scenario.hpp"
#include "wire/address.hpp"

namespace muster::sim {

struct SimHeadEvents {
  std::function<void(base::NodeIndex)> open_link;
  std::function<void(base::NodeIndex)> close_link;
  std::function<void(base::NodeIndex, const wire::ToAgent&, const wire::Address&)> send;
  std::function<void(const machine::AddHost&)> add_host;
  std::function<void(base::RunIndex, const model::HostJoined&)> host_joined;
  std::function<void(const machine::AddWorld&)> add_world;
  std::function<bool(base::NodeIndex)> answers;  // its machine, however silent its agent is
  std::function<void(const std::string&)> note;  // for the trace
  std::function<void(const std::string&)> met;   // for the count of what went wrong
};

class SimHead {
 public:
  SimHead(Agenda& agenda, const Scenario& world, machine::RunInput input, Court& court,
          SimHeadEvents events);

  void start();
  // Another run, which the court knows already.
  void add(machine::RunInput input, std::optional<base::RunIndex> within);
  void feed(machine::HeadEvent event);
  // Bytes of a rank have come over a link.
  void output(base::NodeIndex node, base::RunIndex run, base::Rank rank, wire::Stream stream,
              std::uint64_t offset, std::uint32_t count);
  void kill() { alive_ = false; }
  // At once, or when the process is awake again; never if it is dead.
  void when_awake(std::function<void()> what);

  [[nodiscard]] bool alive() const { return alive_; }
  [[nodiscard]] std::uint64_t input_sent() const { return input_read_; }
  [[nodiscard]] bool input_ended() const { return input_ended_; }
  [[nodiscard]] model::RunReport report() const { return machine_.report(); }
  [[nodiscard]] const machine::HeadMachine& machine() const { return machine_; }

 private:
  // What flows back to the ranks of a run.
  struct Flow {
    std::vector<std::string> hosts;      // their names, by rank
    std::vector<std::uint32_t> windows;  // by rank
    std::vector<std::uint32_t> owed;     // index: rank * 2 + (stream is err)
    machine::ReaderPatience patience;
    std::uint64_t taken = 0;  // bytes
  };
  using Change = std::function<void(machine::HeadMachine&, machine::HeadEffects&)>;

  void take(machine::HeadEvent event);
  void turn(const Change& change);
  void pump();
  void perform_all(machine::HeadEffects& effects);
  void perform(machine::OpenLink& effect) { events_.open_link(effect.node); }
  void perform(machine::CloseLink& effect);
  void perform(machine::KeepLink&) {}  // the court has seen it
  void perform(machine::LookForHost& effect) {
    feed(machine::HostSeen{effect.node, events_.answers(effect.node)});
  }
  void perform(machine::ToNode& effect) {
    note_stop(effect.run, effect.message);
    events_.send(effect.node, effect.message, {effect.run, wire::HostSet(effect.node)});
  }
  void perform(machine::ToNodes& effect) {
    note_stop(effect.run, effect.message);
    wire::Address address{effect.run, {}};
    for (const base::NodeIndex node : effect.nodes) address.hosts.add(node);
    for (const base::NodeIndex node : effect.nodes) events_.send(node, effect.message, address);
  }
  void perform(machine::AddHost& effect);
  void perform(machine::AddWorld& effect);
  void perform(machine::ServeGloo& effect) {
    constexpr std::uint16_t kPort = 30'000;
    feed(machine::GlooServed{machine::GlooServed::At{effect.address, kPort}, effect.run});
  }
  void perform(machine::NewRound& effect);
  void perform(machine::Tell& effect);
  void perform(machine::Say& effect) { events_.note("says \"" + effect.text + "\""); }
  void perform(machine::ReadInput& effect);
  void perform(machine::SuspendSelf&);
  void perform(machine::RunOver& effect);
  void perform(machine::Finish&);
  void arm();
  void wake(base::Instant when);
  void go_on();
  void read_input();
  void give_credit(base::RunIndex run, std::size_t lane, std::uint32_t at_least);
  void give_all_credit();
  void note_stop(base::RunIndex run, const wire::ToAgent& message);
  void watch_reader(base::RunIndex run);
  void users_plans();
  void first_credit(base::RunIndex run);
  void open_flow(const model::Plan& plan);
  [[nodiscard]] base::NodeIndex host_named(const std::string& name) const;
  [[nodiscard]] std::string prefix(base::RunIndex run) const;
  [[nodiscard]] Flow& flow(base::RunIndex run) { return flows_.at(run.value - 1); }

  Agenda& agenda_;
  const Scenario& world_;
  std::vector<std::string> hosts_;  // their names
  machine::HeadMachine machine_;
  Court& court_;
  SimHeadEvents events_;
  std::deque<machine::HeadEvent> queue_;
  bool pumping_ = false;
  bool alive_ = true;
  bool asleep_ = false;
  std::vector<std::function<void()>> missed_;
  std::optional<base::Instant> armed_;
  std::optional<base::Instant> last_tick_;
  int ticks_in_a_row_ = 0;
  bool reader_away_ = false;
  std::deque<Flow> flows_;  // index: run - 1
  bool reading_input_ = false;
  bool input_under_way_ = false;
  bool input_ended_ = false;
  std::uint64_t input_read_ = 0;
};

}  // namespace muster::sim
