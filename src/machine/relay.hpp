// Relay: the run of a launcher inside a rank. That launcher is the run's head and decides
// everything; the head above it reaches hosts for it, and passes frames to them and back.
//
// A host:  reaching ──up()──▶ up ──Hello──▶ greeted ──Bye──▶ gone
//          from any state ──Release, missed(), lost()──▶ gone
//
// The launcher has numbered its hosts itself, and may ask again for one that is gone. Bytes that no
// launcher sends end the connection, and with it the run. All that runs on its hosts ends then.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "machine/run_effects.hpp"
#include "model/inventory.hpp"
#include "wire/frame.hpp"

namespace muster::machine {

// The connection over which a launcher asks.
struct LauncherId {
  base::NodeIndex host;          // in the head
  base::RunIndex run;            // whose rank called the launcher
  std::uint32_t connection = 0;  // as in wire::FromLauncher
  bool operator==(const LauncherId&) const = default;
};

// To be closed when there are no bytes.
void answer(const LauncherId& launcher, std::string_view bytes, HeadEffects& out);

class Relay {
 public:
  explicit Relay(LauncherId launcher) : launcher_(launcher) {}

  void begin(RunEffects& out) const;
  // What the launcher has sent; then next() until it is false, each time with its wishes carried
  // out.
  void take(std::string_view bytes);
  [[nodiscard]] bool next(RunEffects& out);
  // The launcher has gone, or the run that it belongs to is over.
  void hang_up(RunEffects& out);

  // ---- what becomes of its hosts
  void up(base::NodeIndex node, RunEffects& out);
  void refused(base::NodeIndex node, RunEffects& out);
  void missed(base::NodeIndex node, base::Error error, base::Instant now, RunEffects& out);
  void lost(base::NodeIndex node, base::Error error, base::Instant now, RunEffects& out);
  void heard(base::NodeIndex node, const wire::ToHead& message, RunEffects& out) const;
  // The head is about to sleep, and the launcher with it; or both go on.
  void suspend(bool suspended, RunEffects& out) const;

  // ---- what is known
  [[nodiscard]] const LauncherId& launcher() const { return launcher_; }
  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] bool needs(base::NodeIndex node) const {
    return nodes_[node.value].state == State::reaching;
  }
  // How the launcher calls one of its hosts.
  [[nodiscard]] wire::Address from(base::NodeIndex node) const;
  void check() const;
  bool operator==(const Relay&) const = default;

 private:
  enum class State : std::uint8_t { reaching, up, greeted, gone };
  struct Node {
    base::NodeIndex number;  // with the launcher
    State state = State::reaching;
    bool told = false;                      // the launcher knows that it was up
    bool again = false;                     // it was lost since, and is being reached once more
    std::optional<wire::Hello> hello = {};  // which came meanwhile
    bool operator==(const Node&) const = default;
  };

  void pass(const wire::Address& to, wire::ToAgent message, RunEffects& out);
  void call(base::NodeIndex number, wire::Reach& reach, RunEffects& out);
  void greet(base::NodeIndex node, const wire::Hello& hello, RunEffects& out);
  void let_go(base::NodeIndex node, wire::Bye bye, RunEffects& out) const;
  void part(base::NodeIndex node, wire::Bye bye, RunEffects& out);
  void drop(base::NodeIndex node, RunEffects& out);
  void forget(base::NodeIndex node, base::Error why, RunEffects& out);
  void end(base::NodeIndex node);
  void answer(base::NodeIndex node, const wire::ToHead& message, RunEffects& out) const;
  [[nodiscard]] State state(base::NodeIndex node) const { return nodes_[node.value].state; }
  [[nodiscard]] std::vector<base::NodeIndex> nodes_of(const wire::HostSet& numbers) const;

  LauncherId launcher_;
  wire::AgentReader reader_;
  std::vector<Node> nodes_;                           // one for each Reach
  std::map<base::NodeIndex, base::NodeIndex> asked_;  // by the launcher's number; none is gone
  bool over_ = false;
};

}  // namespace muster::machine
