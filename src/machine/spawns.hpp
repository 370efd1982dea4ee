// Spawns: the worlds that ranks spawn, one at a time, in the order of the requests.
//
//   asked ──▶ planned ──▶ prepared by its hosts ──all Prepared──▶ ready; one Declined ──▶ refused
//               │  ▲                   └──one has ended──▶ to be planned again
//               ▼  │
//             hosts called ──all greeted──▶ to be planned again; one missed ──▶ refused
//
// What the caller does for a spawn in each state is its own: calling hosts, orders, starting.
#pragma once

#include <deque>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/id.hpp"
#include "machine/spawn_plan.hpp"
#include "wire/messages.hpp"

namespace muster::machine {

struct AskedSpawn {
  base::NodeIndex asker;
  wire::Spawn order;
  bool operator==(const AskedSpawn&) const = default;
};

// How a spawn leaves a state in which it waited for hosts: ready to start, unless `refusal` or
// `again` says otherwise.
struct SpawnOutcome {
  AskedSpawn asked;
  PlannedSpawn planned;  // without nodes when hosts had been called
  std::optional<base::Error> refusal = {};
  bool again = false;  // what is free may have changed: it is to be planned again
};

class Spawns {
 public:
  using Outcome = std::optional<SpawnOutcome>;
  struct Status {
    std::size_t waiting = 0;                // asked for, and not planned yet
    std::set<base::NodeIndex> called = {};  // hosts that one waits for
    std::uint32_t preparing = 0;            // the world whose hosts prepare; 0: none
    bool operator==(const Status&) const = default;
  };

  void ask(base::NodeIndex asker, wire::Spawn order);
  // Before all others.
  void ask_again(AskedSpawn asked);
  // What is to be planned now; nothing while one waits for hosts.
  [[nodiscard]] std::optional<AskedSpawn> next();

  // It waits until these have greeted ...
  void call(AskedSpawn asked, std::set<base::NodeIndex> awaited);
  // ... or until all its hosts have prepared.
  void prepare(AskedSpawn asked, PlannedSpawn planned);
  [[nodiscard]] bool calls_hosts() const { return calling_.has_value(); }
  [[nodiscard]] bool calls(base::NodeIndex node) const;
  [[nodiscard]] bool prepares(std::uint32_t world) const;

  [[nodiscard]] Outcome greeted(base::NodeIndex node);
  [[nodiscard]] Outcome prepared(base::NodeIndex node, std::uint32_t world);
  [[nodiscard]] Outcome declined(base::NodeIndex node, std::uint32_t world, base::Error error);
  // A host without ranks cannot be reached, or is lost, even if it has prepared.
  [[nodiscard]] Outcome missed(base::NodeIndex node, base::Error error);
  // All ranks of a host have ended: nobody there waits for an answer, and nothing starts there,
  // even if it has prepared, after which its agent should not have said so.
  [[nodiscard]] Outcome host_ended(base::NodeIndex node);

  [[nodiscard]] Status status() const;
  // Asserts what holds between two calls.
  void check() const;
  bool operator==(const Spawns&) const = default;

 private:
  struct Calling {
    AskedSpawn asked;
    std::set<base::NodeIndex> awaited;  // that have neither greeted nor failed
    std::optional<base::Error> refusal = {};
    bool operator==(const Calling&) const = default;
  };
  struct Preparing {
    AskedSpawn asked;
    PlannedSpawn planned;
    std::set<base::NodeIndex> awaited;  // that have not answered
    std::optional<base::Error> refusal = {};
    bool host_ended = false;  // one of its hosts did, before it could start there
    bool operator==(const Preparing&) const = default;
  };
  [[nodiscard]] bool prepares(base::NodeIndex node) const;
  [[nodiscard]] Outcome called(base::NodeIndex node);
  [[nodiscard]] Outcome answered(base::NodeIndex node);

  std::deque<AskedSpawn> waiting_;
  std::optional<Calling> calling_;
  std::optional<Preparing> preparing_;
};

}  // namespace muster::machine
