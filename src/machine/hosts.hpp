// Hosts: the head's links. Opens them, a bounded number at a time, greets, keeps them alive,
// notices silence. Knows no ranks. Its caller closes the link of a host that is no longer needed.
//
//   waiting ──LinkUp──▶ up ──Welcome──▶ greeted ──dismiss()──▶ leaving ──link lost──▶ waiting
//   greeted ──keep()──▶ waiting: the link has gone to whoever keeps it
//   from any state ──link lost──▶ waiting; one that is leaving overstays after kLeaveTime
//
// The link of a host that is waiting may fail and be opened again, as often as Opener allows. Each
// run greets a host for itself.
//
// It is large: opening, greeting, keeping alive and closing all change the same state of a link.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "base/time.hpp"
#include "machine/head_events.hpp"
#include "machine/host_clock.hpp"
#include "machine/opener.hpp"
#include "machine/run_effects.hpp"
#include "model/inventory.hpp"
#include "model/job_spec.hpp"
#include "view/waiting.hpp"
#include "wire/messages.hpp"

namespace muster::machine {

// For an agent to end, once the last run has left its host.
inline constexpr base::Duration kLeaveTime = std::chrono::seconds(1);

class Hosts {
 public:
  struct Options {
    model::CarrierSpec carrier;
    base::Duration lease{0};
    base::Duration grace{0};
    bool operator==(const Options&) const = default;
  };
  enum class State : std::uint8_t { waiting, up, greeted, leaving };
  struct Status {
    State state = State::waiting;
    bool link = false;       // a carrier may be alive
    base::Instant heard{};   // when it spoke last
    std::size_t pings = 0;   // without an answer
    std::string last_error;  // why the last attempt failed; empty: none has
  };

  explicit Hosts(Options options);

  base::NodeIndex add(const model::Host& host);
  // A host that was added before, with the same name, user and port.
  [[nodiscard]] std::optional<base::NodeIndex> find(const model::Host& host) const;

  // One that somebody may mean who calls it so: by one of its names, or by its own.
  [[nodiscard]] std::optional<base::NodeIndex> find_called(
      const model::Host& host, const std::function<bool(base::NodeIndex)>& wanted) const;

  // ---- opening
  void open(base::NodeIndex node, base::Instant now, HeadEffects& out);
  // After a series of open(): opens as many as may be opened at a time, and reports progress.
  void go_on(base::Instant now, HeadEffects& out);
  void up(base::NodeIndex node, base::Instant now);
  // Why this host cannot be reached; nothing when it is tried again.
  [[nodiscard]] std::optional<base::Error> failed(LinkFailed& event, base::Instant now,
                                                  HeadEffects& out);
  // Hosts whose attempt has lasted longer than the patience: each is to be closed.
  [[nodiscard]] std::vector<std::pair<base::NodeIndex, base::Error>> overdue(
      base::Instant now) const;
  // It has not greeted yet, and shall.
  [[nodiscard]] bool waits_for(base::NodeIndex node) const { return opener_.has(node); }
  // It is no longer waited for.
  void settle(base::NodeIndex node);
  // Opens what is due, and reports progress from time to time.
  void tick(base::Instant now, HeadEffects& out);
  [[nodiscard]] std::optional<base::Instant> next_opening() const;

  // ---- greeting
  // For a run, or for another round of it. Only a host that is up, or was greeted before.
  void greet(const GreetHost& wish, base::NodeIndex node, base::RunIndex run, base::Instant now,
             HeadEffects& out);
  // Its error: it speaks another protocol.
  [[nodiscard]] base::Result<void> welcome(base::NodeIndex node, base::RunIndex run,
                                           const wire::Welcome& message, base::Instant now,
                                           HeadEffects& out);

  // It has greeted a run whose own head asked it to.
  void answered(base::NodeIndex node, const model::HostFacts& facts, base::Instant now,
                HeadEffects& out);

  // ---- keeping alive
  void heard(base::NodeIndex node, base::Instant now);
  // Each run of a host has a lease of its own there.
  void ping(base::NodeIndex node, base::RunIndex run, base::Instant now, HeadEffects& out);
  void pong(base::NodeIndex node, base::RunIndex run, const wire::Pong& message, base::Instant now);
  // True once in every quarter of the lease: the caller then looks for silent hosts, and pings all.
  [[nodiscard]] bool beat(base::Instant now);
  // Asks whether its machine answers, when it has been silent for the lease.
  void look_for_silent(base::NodeIndex node, base::Instant now, HeadEffects& out) const;
  // Its error: it has been silent for longer than one is patient.
  [[nodiscard]] std::optional<base::Error> silent(const HostSeen& seen, base::Instant now,
                                                  HeadEffects& out);
  // This process is about to be suspended: until woke(), no host counts as silent.
  void sleep() { asleep_ = true; }
  void woke(base::Instant now);
  [[nodiscard]] std::optional<base::Instant> next_beat() const { return next_ping_; }

  // ---- closing
  // A run leaves it. The agent ends with the last one.
  void dismiss(base::NodeIndex node, base::RunIndex run, wire::Bye bye, bool is_last,
               base::Instant now, HeadEffects& out);
  // Its agent may serve a run of another head.
  [[nodiscard]] bool can_be_kept(base::NodeIndex node) const;
  // The last run leaves it, and its link goes to whoever keeps it.
  void keep(base::NodeIndex node, base::RunIndex run, HeadEffects& out);
  // It has been leaving for longer than kLeaveTime: it is to be closed.
  [[nodiscard]] bool overstays(base::NodeIndex node, base::Instant now) const;
  [[nodiscard]] std::optional<base::Instant> next_leaving() const;
  // The carrier has ended, after the agent had spoken.
  void lost(base::NodeIndex node);
  // Nothing more will be heard of it, and it is not opened any more.
  void close(base::NodeIndex node, HeadEffects& out);

  // ---- what is known
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(hosts_.size()); }
  [[nodiscard]] State state(base::NodeIndex node) const { return of(node).state; }
  [[nodiscard]] bool link(base::NodeIndex node) const { return of(node).link; }
  [[nodiscard]] bool any_link() const;
  [[nodiscard]] bool linked(base::NodeIndex node) const { return of(node).linked; }
  [[nodiscard]] const model::Host& host(base::NodeIndex node) const { return of(node).host; }
  [[nodiscard]] const std::string& name(base::NodeIndex node) const { return of(node).host.name; }
  [[nodiscard]] const HostClock& clock_of(base::NodeIndex node) const { return of(node).clock; }
  // What it told in its greeting, if it has come.
  [[nodiscard]] const std::optional<model::HostFacts>& facts(base::NodeIndex node) const {
    return of(node).facts;
  }
  [[nodiscard]] Status status(base::NodeIndex node) const;
  // Asserts what holds between two calls; takes time that grows with the hosts, so only tests ask.
  void check() const;
  bool operator==(const Hosts&) const = default;

 private:
  struct Entry {
    model::Host host;
    bool linked = false;  // needs a link: the head is not its agent
    State state = State::waiting;
    bool link = false;
    base::Instant heard{};
    bool is_told_busy = false;  // people know that it is silent, and answers
    base::Instant leave_by{};   // of a host that is leaving
    std::optional<model::HostFacts> facts = {};
    std::string last_error = {};
    HostClock clock = {};
    std::map<base::RunIndex, base::Instant> greeted_at = {};  // when a Hello without answer left
    std::map<base::RunIndex, std::deque<base::Instant>> pinged_at =
        {};  // of Pings without an answer
    bool operator==(const Entry&) const = default;
  };
  [[nodiscard]] Entry& of(base::NodeIndex node);
  [[nodiscard]] const Entry& of(base::NodeIndex node) const;
  void open_due(base::Instant now, HeadEffects& out);
  void forgive_silence(base::Instant now);
  void tell_progress(base::Instant now, HeadEffects& out);
  [[nodiscard]] std::string hint_for_silence(const model::Host& host) const;

  Options options_;
  std::vector<Entry> hosts_;  // index: node
  std::set<base::NodeIndex> leaving_;
  Opener opener_;
  std::optional<base::Instant> next_ping_;
  std::optional<base::Instant> next_progress_;
  base::Instant opening_since_{};
  view::Waiting waiting_;
  bool asleep_ = false;
};

}  // namespace muster::machine
