// Court: a judge for each run of a head, and what concerns all runs: links, attempts, the head's
// end. Hosts have the numbers that the head gives them; judges use those of their run.
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
#include "sim/judge.hpp"
#include "sim/scenario.hpp"

namespace muster::sim {

class Court {
 public:
  Court(const Agenda& agenda, const Scenario& fleet) : agenda_(agenda), fleet_(fleet) {}

  // Before the head begins its next run.
  void begin(const Scenario& own, const model::Plan& plan, std::optional<base::RunIndex> within);
  void complain(const std::string& what);

  // What the head hears, just before it takes it; what it does; and the end of that turn.
  void hears(const machine::HeadEvent& event);
  void does(const machine::HeadEffect& effect);
  void compares(bool same);  // whether a copy of the head's machine has done the same
  void turn_over(const machine::HeadMachine& head);
  void woke();

  void output(base::NodeIndex host, base::RunIndex run, base::Rank rank, wire::Stream stream,
              std::uint64_t offset, std::uint32_t count);
  void credited(base::RunIndex run, base::Rank rank, wire::Stream stream, std::uint32_t count);
  void agent_says(base::NodeIndex host, base::RunIndex run, const wire::ToHead& message);
  void task_starts(base::RunIndex run, base::Rank rank);
  // The head has finished: what each run tells is judged.
  void verdict(const machine::HeadMachine& head);

  [[nodiscard]] bool finished() const { return finished_.has_value(); }
  [[nodiscard]] bool is_over(base::RunIndex run) const { return of(run).judge.over().has_value(); }
  [[nodiscard]] std::size_t runs() const { return cases_.size(); }
  [[nodiscard]] bool failed(base::RunIndex run) const { return of(run).judge.failed(); }
  [[nodiscard]] std::uint64_t received(base::RunIndex run, base::Rank rank,
                                       wire::Stream stream) const {
    return of(run).judge.received(rank, stream);
  }
  [[nodiscard]] const std::string& name(base::NodeIndex host) const { return names_[host.value]; }
  [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  struct Case {
    base::RunIndex index;
    std::optional<base::RunIndex> within;
    std::vector<std::string> nodes;  // their hosts
    bool heard_over;                 // in an earlier turn
    Judge judge;
  };

  void on(const machine::LinkUp& event);
  void on(const machine::LinkFailed& event);
  void on(const machine::LinkLost& event);
  void on(const machine::Heard& event);
  void on(const machine::UserSignal& event);
  void on(const machine::GlooJoined& event);
  template <class Other>
  void on(const Other& event) {
    to_all(event);
  }
  void done(const machine::OpenLink& effect);
  void done(const machine::AddHost& effect);
  void done(const machine::CloseLink& effect);
  void done(const machine::KeepLink&) { complain("a link is kept, and no head follows"); }
  void done(const machine::ToNode& effect);
  void done(const machine::ToNodes& effect);
  void done(const machine::RunOver& effect);
  void done(const machine::Tell& effect);
  void done(const machine::ReadInput& effect);
  void done(const machine::Finish&);
  void done(const machine::LookForHost&) {}
  void done(const machine::Say&) {}
  void done(const machine::SuspendSelf&) {}
  template <class Effect>
  void done(const Effect& effect) {
    of(effect.run).judge.does(effect);
  }

  [[nodiscard]] Case& of(base::RunIndex run) { return cases_.at(run.value - 1); }
  [[nodiscard]] const Case& of(base::RunIndex run) const { return cases_.at(run.value - 1); }
  [[nodiscard]] Link& link_to(const std::string& name);
  [[nodiscard]] Link& link(base::NodeIndex host) { return link_to(name(host)); }
  [[nodiscard]] bool is_here(const std::string& name) const;
  [[nodiscard]] std::optional<base::NodeIndex> node(const Case& one, base::NodeIndex host) const;
  [[nodiscard]] bool is_wanted(const std::string& name) const;
  [[nodiscard]] bool is_held(base::NodeIndex host) const;
  void to_all(const machine::HeadEvent& event);

  const Agenda& agenda_;
  const Scenario& fleet_;
  std::deque<Case> cases_;             // index: run - 1
  std::vector<std::string> names_;     // of hosts, index: the head's number
  std::map<std::string, Link> links_;  // by host
  std::vector<std::string> closed_;    // in this turn
  std::optional<base::Instant> last_over_;
  std::optional<base::Instant> finished_;
  std::vector<std::string> complaints_;
};

}  // namespace muster::sim
