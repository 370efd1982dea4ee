// PmixExchange: joins the requests of all nodes' PMIx servers, and returns what each is told.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "wire/pmix.hpp"

namespace muster::machine {

namespace pmix = wire::pmix;

// What the server of a node must be told.
struct PmixOrder {
  std::uint32_t node = 0;
  pmix::Command command;
  bool operator==(const PmixOrder&) const = default;
};
using PmixOrders = std::vector<PmixOrder>;

// Of what ranks publish, and of look-ups that wait for it, each: a rank may go on asking for ever,
// and the head's memory is that of all.
inline constexpr std::size_t kPublishedMax = std::size_t{64} << 20;

// Who waits for an answer.
struct PmixAsker {
  std::uint32_t node = 0;
  pmix::Ticket ticket = 0;
  bool operator==(const PmixAsker&) const = default;
};

class PmixExchange {
 public:
  explicit PmixExchange(std::uint32_t nodes) : nodes_(nodes) {}

  // A host joins, as the node after all others.
  void add_node() { ++nodes_; }
  // The first job, and each that is spawned, before its upcalls.
  void add(const pmix::Job& job);

  // What follows from an upcall of a node. Those that are not about exchange (Ready, Broken,
  // Connected, Finalized, Aborted, Spawn) lead to nothing: its agent answers them.
  [[nodiscard]] PmixOrders take(std::uint32_t node, const pmix::Upcall& upcall);

  // All ranks of a node have ended: nobody waits for what its server has asked. A later server of
  // this node counts its tickets from the start.
  void forget(std::uint32_t node);
  // A node's server is gone: those who wait for it are told.
  [[nodiscard]] PmixOrders lost(std::uint32_t node);
  // Asserts what holds between two calls; takes time, so only tests ask.
  void check() const;
  bool operator==(const PmixExchange&) const = default;

 private:
  // A fence, a connect or a disconnect: one answer to all nodes once all have come.
  struct Round {
    std::vector<std::uint32_t> expected;  // sorted
    // No ticket: nobody waits there any more.
    std::map<std::uint32_t, std::pair<pmix::Ticket, std::string>> arrived;
    bool operator==(const Round&) const = default;
  };
  enum class Kind : std::uint8_t { fence, connect, disconnect };
  using Key = std::pair<Kind, std::vector<pmix::Proc>>;
  struct Kept {
    pmix::Datum datum;
    bool once = false;
    bool operator==(const Kept&) const = default;
  };
  using Published = std::map<std::string, Kept>;
  // Where a job's ranks are.
  struct Placement {
    std::map<std::uint32_t, std::uint32_t> node_of;  // by rank
    std::set<std::uint32_t> nodes;                   // of them all
    bool operator==(const Placement&) const = default;
  };

  void gather(std::uint32_t node, Kind kind, std::vector<pmix::Proc> procs, pmix::Ticket ticket,
              const std::string& blob, PmixOrders& out);
  void take_one(std::uint32_t node, const pmix::Fence& fence, PmixOrders& out);
  void take_one(std::uint32_t node, const pmix::Connect& connect, PmixOrders& out);
  void take_one(std::uint32_t node, const pmix::Modex& modex, PmixOrders& out);
  void take_one(std::uint32_t node, const pmix::ModexFound& found, PmixOrders& out);
  void take_one(std::uint32_t node, const pmix::Publish& publish, PmixOrders& out);
  void take_one(std::uint32_t node, const pmix::Lookup& lookup, PmixOrders& out);
  void take_one(std::uint32_t node, const pmix::Unpublish& unpublish, PmixOrders& out);
  void take_one(std::uint32_t node, const pmix::Event& event, PmixOrders& out);
  template <class Other>
  void take_one(std::uint32_t, const Other&, PmixOrders&) {}

  [[nodiscard]] std::optional<std::vector<std::uint32_t>> nodes_of(
      const std::vector<pmix::Proc>& procs) const;
  void check_rounds() const;
  bool answer(const PmixAsker& asker, const pmix::Lookup& lookup, PmixOrders& out);
  void take_back(Published::iterator kept);
  static void conclude(const Round& round, pmix::Status status, PmixOrders& out);

  std::uint32_t nodes_;
  std::map<std::string, Placement> jobs_;  // by nspace
  std::map<Key, std::vector<Round>> rounds_;
  std::map<pmix::Ticket, std::pair<PmixAsker, std::uint32_t>>
      fetches_;  // ours; who asked, who must answer
  pmix::Ticket last_fetch_ = 0;
  Published published_;
  std::vector<std::pair<PmixAsker, pmix::Lookup>> waiting_;
  std::size_t published_bytes_ = 0;  // what they take
  std::size_t waiting_bytes_ = 0;
  std::vector<std::uint32_t> lost_;
};

}  // namespace muster::machine
