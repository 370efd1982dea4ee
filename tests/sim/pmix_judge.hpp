// PmixJudge: what the head must do with the questions of PMIx servers, whatever happens to hosts.
//
// Whoever asks is answered once at the most. A fence is answered when all hosts with ranks of its
// world have come, in that turn, to all, with all parts; who waits for a host that is lost is told
// so, in that turn; who waits for a name, when it is there. Worlds are known before they start.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/id.hpp"
#include "wire/messages.hpp"

namespace muster::sim {

class PmixJudge {
 public:
  using Complain = std::function<void(const std::string&)>;
  explicit PmixJudge(Complain complain) : complain_(std::move(complain)) {}

  // What the head hears of a server, and what it tells one.
  void asks(base::NodeIndex node, const wire::pmix::Upcall& upcall);
  void told(base::NodeIndex node, const wire::pmix::Command& command);
  void told(base::NodeIndex node, const std::vector<wire::pmix::AddJob>& jobs);
  void starts(base::NodeIndex node, std::uint32_t world);
  // Its agent has stopped: nobody there waits any more.
  void ended(base::NodeIndex node);
  void lost(base::NodeIndex node);
  void begin_round();
  void turn_over();

 private:
  using Asker = std::pair<std::uint32_t, wire::pmix::Ticket>;  // node, its ticket
  struct World {
    std::map<std::uint32_t, std::uint32_t> node_of;  // by rank
    std::set<std::uint32_t> nodes;
    // Of the fence under way: who has come, with what. No ticket: has ended since.
    std::map<std::uint32_t, std::pair<wire::pmix::Ticket, std::string>> arrived;
    std::vector<std::pair<Asker, wire::pmix::Reply>> answers;  // of this turn
  };

  void ask(std::uint32_t node, const wire::pmix::Fence& fence);
  void ask(std::uint32_t node, const wire::pmix::Modex& modex);
  void ask(std::uint32_t node, const wire::pmix::Lookup& lookup);
  void ask(std::uint32_t node, const wire::pmix::Publish& publish);
  template <class Other>
  void ask(std::uint32_t, const Other&) {}
  void tell(std::uint32_t node, const wire::pmix::AddJob& add);
  void tell(std::uint32_t node, const wire::pmix::Reply& reply);
  void tell(std::uint32_t node, const wire::pmix::Found& found);
  void tell(std::uint32_t node, const wire::pmix::FetchModex& fetch);
  template <class Other>
  void tell(std::uint32_t, const Other&) {}
  void judge_fence(World& world);
  [[nodiscard]] bool waits_for_lost(const std::set<std::uint32_t>& nodes) const;

  Complain complain_;
  std::map<std::string, World> worlds_;                      // by nspace
  std::set<std::pair<std::uint32_t, std::uint32_t>> known_;  // node, world: who has heard of which
  std::map<Asker, std::string> fences_;                      // open; of which world
  std::map<Asker, std::uint32_t> fetches_;                   // open; which node must answer
  std::map<Asker, std::vector<std::string>> lookups_;        // open; keys
  std::set<Asker> publishing_;                               // open
  std::set<std::string> published_;
  std::set<std::uint32_t> lost_;
};

}  // namespace muster::sim
