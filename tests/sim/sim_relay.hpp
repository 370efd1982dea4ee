// SimRelay: a head above the simulated one. The simulated head is a launcher inside one of its
// ranks, and reaches all hosts through it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine/head_machine.hpp"
#include "sim/agenda.hpp"
#include "sim/dice.hpp"
#include "sim/scenario.hpp"
#include "sim/sim_link.hpp"
#include "wire/frame.hpp"

namespace muster::sim {

// Hosts are called by their names. The numbers are those of the head below.
struct SimRelayEvents {
  // Of the head above.
  std::function<void(const std::string& host)> open_link;
  std::function<void(const std::string& host)> close_link;
  std::function<void(const std::string& host, const wire::ToAgent&, base::RunIndex)> send;
  // What the head below hears.
  std::function<void(machine::HeadEvent)> below;
  std::function<void(base::NodeIndex, base::Rank, wire::Stream, std::uint64_t offset,
                     std::uint32_t count)>
      output;
  // What arrives while the head below sleeps waits in its socket.
  std::function<void(std::function<void()>)> when_awake;
  std::function<void(const std::string&)> complain;
};

class SimRelay {
 public:
  // `names`: of all hosts that may be asked for.
  SimRelay(Agenda& agenda, Dice dice, const Scenario& world, const std::vector<std::string>& names,
           SimRelayEvents events);

  // ---- the head below
  void reach(base::NodeIndex number, const std::string& name);
  void release(base::NodeIndex number);
  void send(base::NodeIndex number, const wire::ToAgent& message);
  void hang_up();

  // ---- links of the head above
  void up(const std::string& host);
  void failed(const std::string& host, base::Error error, machine::Retry retry);
  void lost(const std::string& host, base::Error error);
  void heard(const std::string& host, base::RunIndex run, const wire::ToHead& message);
  void output(const std::string& host, base::RunIndex run, base::Rank rank, wire::Stream stream,
              std::uint64_t offset, std::uint32_t count);

  // The launcher's connection has ended, and nothing of its run is left.
  [[nodiscard]] bool over() const { return over_; }

 private:
  void begin(const std::vector<std::string>& names);
  void say(std::string bytes);
  void feed(machine::HeadEvent event);
  void arm();
  void perform(machine::OpenLink& effect);
  void perform(machine::CloseLink& effect);
  void perform(machine::KeepLink&) { events_.complain("the head above keeps a link"); }
  void perform(machine::AddHost& effect);
  void perform(machine::ToNode& effect);
  void perform(machine::ToNodes& effect);
  void perform(machine::RunOver& effect);
  template <class Effect>
  void perform(Effect&) {}
  void deliver(base::NodeIndex host, const wire::ToAgent& message, base::RunIndex run);
  void to_first_run(const wire::ToAgent& message);
  void down(const std::string& bytes);
  void take(const std::string& bytes);
  void tell(base::NodeIndex number, wire::ToHead message);
  [[nodiscard]] base::NodeIndex at_head(const std::string& host) const;

  Agenda& agenda_;
  SimRelayEvents events_;
  machine::HeadMachine above_;
  std::vector<std::string> hosts_;  // index: number in the head above; the first has the launcher
  OneWay up_;
  OneWay down_;
  std::deque<machine::HeadEvent> queue_;
  bool pumping_ = false;
  std::optional<base::Instant> armed_;
  wire::NoiseFilter filter_;
  bool greeted_ = false;
  wire::HeadReader reader_;
  std::map<base::NodeIndex, bool> up_below_;  // hosts asked for, and whether they have come
  bool hung_up_ = false;
  bool over_ = false;
};

}  // namespace muster::sim
