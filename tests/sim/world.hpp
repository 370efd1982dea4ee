// World: plays one scenario with one head, its hosts and links, and lets the court watch.
//
// Hosts are numbered as in the scenario; the head's own numbers are translated where it speaks.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/agenda.hpp"
#include "sim/court.hpp"
#include "sim/scenario.hpp"
#include "sim/sim_agent.hpp"
#include "sim/sim_head.hpp"
#include "sim/sim_link.hpp"
#include "sim/sim_relay.hpp"
#include "wire/address.hpp"

namespace muster::sim {

struct Outcome {
  std::vector<std::string> complaints;
  std::string trace;                         // the whole conversation, a line each
  std::optional<model::RunReport> report;    // none when the head was killed
  std::map<std::string, std::uint64_t> met;  // what went wrong, how often
};

// Tracing costs time; `pings`: heartbeats too; `frames`: what each link carries, output included.
struct Tracing {
  bool on = false;
  bool pings = false;
  bool frames = false;
};

class World {
 public:
  World(Scenario scenario, Tracing tracing);
  Outcome play();

 private:
  // One attempt to reach a host, with the agent that it started.
  struct Session {
    base::NodeIndex node;
    OneWay to_agent;
    OneWay to_head;
    std::unique_ptr<SimAgent> agent;
    bool open = true;  // the head has neither closed it nor seen its end
  };

  // One run, as its agents need it.
  struct Party {
    const Scenario* own = nullptr;
    model::Plan plan;
  };

  [[nodiscard]] SimHeadEvents head_events();
  void put_head_above();
  [[nodiscard]] SimRelayEvents relay_events();
  [[nodiscard]] base::NodeIndex called(const std::string& host) const;
  void hears_up(const Session& session);
  void hears_failure(const Session& session, base::Error error, machine::Retry retry);
  void hears_loss(const Session& session, base::Error error);
  void hears(base::NodeIndex node, base::RunIndex run, const wire::ToHead& message);
  void hears_output(base::NodeIndex node, base::RunIndex run, base::Rank rank, wire::Stream stream,
                    std::uint64_t offset, std::uint32_t count);
  [[nodiscard]] base::RunIndex known_as(base::NodeIndex node, base::RunIndex run) const;
  [[nodiscard]] SimAgentEvents agent_events(Session& session);
  [[nodiscard]] std::unique_ptr<SimAgent> agent_for(Session& session);
  [[nodiscard]] std::pair<const HostScript*, const Scenario*> scripts(base::NodeIndex node,
                                                                      base::RunIndex run) const;
  Party& invite(const Scenario& own, model::Plan plan, std::optional<base::RunIndex> within);
  void begin_another(const OtherRun& other);
  void open_link(base::NodeIndex node);
  void attempt_fails(Session& session, const Attempt& attempt);
  void agent_comes(Session& session, const Attempt& attempt);
  void close_link(base::NodeIndex node);
  void send(base::NodeIndex node, const wire::ToAgent& message, const wire::Address& address);
  void to_head(Session& session, std::function<void()> arrives);
  void ends_at_head(Session& session, const std::string& why);
  void close_both(Session& session, const std::string& why);
  void plan_faults();
  void fault_at(std::optional<Duration> when, base::NodeIndex node, const std::string& what,
                void (World::*strike)(base::NodeIndex));
  void strike_link(base::NodeIndex node);
  void pull_cable(base::NodeIndex node);
  void plug_cable(base::NodeIndex node);
  [[nodiscard]] bool answers(base::NodeIndex node) const;
  void strike_agent(base::NodeIndex node);
  void strike_guard(base::NodeIndex node);
  void strike_power(base::NodeIndex node);
  void kill_head();
  void check_leftovers();
  void check_whole();
  void check_whole(base::RunIndex run);
  [[nodiscard]] const SimTask* task_of(base::RunIndex run, base::Rank rank) const;
  void count(const std::string& what) { ++met_[what]; }
  void count_words(const wire::ToHead& message);
  void note(const std::string& line);
  template <class Message>
  void note_message(base::NodeIndex node, const Message& message, const wire::Address& address);
  void note_output(base::NodeIndex node, base::RunIndex run, base::Rank rank, wire::Stream stream,
                   std::uint32_t count);

  [[nodiscard]] bool here(base::NodeIndex node) const;
  // The head's number of a host, and the scenario's.
  [[nodiscard]] base::NodeIndex at_head(base::NodeIndex node) const;
  [[nodiscard]] base::NodeIndex from_head(base::NodeIndex host) const {
    return fleet_of_.at(host.value);
  }
  [[nodiscard]] wire::Address about(base::NodeIndex node, base::RunIndex run) const {
    return {run, wire::HostSet(at_head(node))};
  }
  [[nodiscard]] Session* current(base::NodeIndex node);
  [[nodiscard]] Duration time_limit() const;
  [[nodiscard]] bool may_wait_for_ever(base::NodeIndex node) const;

  Scenario scenario_;
  Tracing tracing_;
  Agenda agenda_;
  Court court_;
  std::deque<Party> parties_;              // index: run - 1
  std::vector<base::NodeIndex> fleet_of_;  // index: the head's number
  SimHead head_;
  std::optional<SimRelay> relay_;
  std::deque<Session> sessions_;
  std::vector<Session*> current_;      // by node: the latest attempt
  std::vector<std::size_t> attempts_;  // by node: begun
  std::vector<bool> stalled_;          // by node: the cable is out
  std::vector<bool> dark_;             // by node: no power
  std::string trace_;
  std::map<std::string, std::uint64_t> met_;
};

}  // namespace muster::sim
