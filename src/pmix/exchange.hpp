// Exchange: the head's side of wire-up. Takes what the servers of all nodes ask and says what each
// must be told. Pure: no library, no clock, no descriptor.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pmix/values.hpp"

namespace muster::pmix {

struct ToNode {
  std::uint32_t node = 0;
  Command command;
  bool operator==(const ToNode&) const = default;
};

class Exchange {
 public:
  explicit Exchange(std::uint32_t nodes) : nodes_(nodes) {}

  // A host joins, as the node after all others.
  void add_node() { ++nodes_; }
  // The first job, and each that is spawned, before its upcalls; job.node is not read.
  void add(const Job& job);

  // What follows from an upcall of a node. Those that are not about exchange (Ready, Broken,
  // Connected, Finalized, Aborted, Spawn) lead to nothing here: they are the head's.
  [[nodiscard]] std::vector<ToNode> take(std::uint32_t node, const Upcall& upcall);

  // A node whose server has gone: whoever waits for it is told so.
  [[nodiscard]] std::vector<ToNode> lost(std::uint32_t node);

  // Who has not arrived where others wait, for the report of a job that hangs: node numbers.
  [[nodiscard]] std::vector<std::uint32_t> awaited() const;

 private:
  // A fence, a connect or a disconnect: one answer to all nodes once all have come.
  struct Round {
    std::vector<std::uint32_t> expected;  // sorted
    std::map<std::uint32_t, std::pair<Ticket, std::string>> arrived;
  };
  enum class Kind : std::uint8_t { fence, connect, disconnect };
  using Key = std::pair<Kind, std::vector<Proc>>;
  struct Kept {
    Datum datum;
    bool once = false;
  };
  struct Asker {
    std::uint32_t node = 0;
    Ticket ticket = 0;
  };
  using Out = std::vector<ToNode>;

  void gather(std::uint32_t node, Kind kind, std::vector<Proc> procs, Ticket ticket,
              const std::string& blob, Out& out);
  void take_one(std::uint32_t node, const Fence& fence, Out& out);
  void take_one(std::uint32_t node, const Connect& connect, Out& out);
  void take_one(std::uint32_t node, const Modex& modex, Out& out);
  void take_one(std::uint32_t node, const ModexFound& found, Out& out);
  void take_one(std::uint32_t node, const Publish& publish, Out& out);
  void take_one(std::uint32_t node, const Lookup& lookup, Out& out);
  void take_one(std::uint32_t node, const Unpublish& unpublish, Out& out);
  void take_one(std::uint32_t node, const Event& event, Out& out);
  template <class Other>
  void take_one(std::uint32_t, const Other&, Out&) {}

  [[nodiscard]] std::optional<std::vector<std::uint32_t>> nodes_of(
      const std::vector<Proc>& procs) const;
  bool answer(const Asker& asker, const Lookup& lookup, Out& out);
  static void conclude(const Round& round, Status status, Out& out);

  std::uint32_t nodes_;
  std::map<std::string, std::map<std::uint32_t, std::uint32_t>> node_of_;  // nspace, rank
  std::map<Key, std::vector<Round>> rounds_;
  std::map<Ticket, std::pair<Asker, std::uint32_t>> fetches_;  // ours; who asked, who must answer
  Ticket last_fetch_ = 0;
  std::map<std::string, Kept> published_;
  std::vector<std::pair<Asker, Lookup>> waiting_;
  std::vector<std::uint32_t> lost_;
};

}  // namespace muster::pmix
