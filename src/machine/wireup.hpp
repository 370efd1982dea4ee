// Wireup: what the MPI ranks of a run need from the head. It joins the fences of all worlds, keeps
// published names, and knows which ranks have called MPI_Init, or have told Horovod's store where
// they are, and which keep others waiting there.
//
// A fence:  open ──a part of each node of the world──▶ answered, once, to all these nodes but those
// where nobody waits any more
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "base/time.hpp"
#include "machine/fences.hpp"
#include "machine/placed_world.hpp"
#include "machine/roll_call.hpp"
#include "model/job_spec.hpp"
#include "model/joining.hpp"
#include "model/plan.hpp"
#include "wire/messages.hpp"

namespace muster::machine {

// A rank that has kept others waiting for this long is named, one second after the agents were
// asked who has called MPI_Init, and then once a minute.
inline constexpr base::Duration kAskRoll = std::chrono::seconds(9);
inline constexpr base::Duration kTellRoll = std::chrono::seconds(1);
inline constexpr base::Duration kNextRoll = std::chrono::seconds(59);

// Of names and ports that ranks publish: a rank may go on publishing for ever, and the head's
// memory is that of all.
inline constexpr std::size_t kNamesMax = std::size_t{64} << 20;

[[nodiscard]] bool serves_pmi(model::Wireup wireup);
[[nodiscard]] bool serves_pmix(model::Wireup wireup);
// PMI_process_mapping of a world's own plan; empty where no PMI is served.
[[nodiscard]] std::string mapping_for(const model::JobSpec& spec, const model::Plan& plan);

// Which ranks keep others waiting.
struct WireupStatus {
  std::vector<base::Rank> absent;      // from where others of their world wait; ascending
  std::optional<base::Instant> since;  // when the first of these others came
  // Where that is; of two, where ranks have waited for longest.
  model::Joining joining = model::Joining::mpi;
  std::size_t open_fences = 0;  // parts have come, but not of all nodes
  bool operator==(const WireupStatus&) const = default;
};

class Wireup {
 public:
  struct Answer {
    std::vector<base::NodeIndex> nodes;
    wire::FenceOut message;
  };
  enum class Look : std::uint8_t { nothing, ask_who_came, name_absent };

  // The next world; its number is one more than that of the last.
  void add(PlacedWorld world);
  // Only the first world is left, none of whose ranks has come.
  void renew();
  [[nodiscard]] std::size_t worlds() const { return worlds_.size(); }
  [[nodiscard]] const PlacedWorld& world(std::uint32_t number) const;  // 1 to worlds()
  [[nodiscard]] const PlacedWorld& world_of(base::Rank rank) const;

  // Nothing while parts are missing; what no world of the node has asked for is ignored.
  [[nodiscard]] std::optional<Answer> take(base::NodeIndex node, const wire::FenceIn& part);
  [[nodiscard]] wire::NameAnswer take(const wire::NameAsk& ask);
  // All ranks of a node have ended: their parts count, but nobody there waits for an answer. Ranks
  // of worlds that are added later may run there again.
  void ended(base::NodeIndex node);

  void came(base::Rank rank, base::Instant now);  // into MPI_Init
  // A rank of the first world has told Horovod's store where it is.
  void told_store(base::Rank rank, base::Instant now);
  // Somebody else may have done so: nobody is waited for there any more, as far as anybody knows.
  void doubt_store();
  // It has ended: a failure is what others tell of, not that it never came to the store.
  void left(base::Rank rank, bool has_failed);
  // A rank that has ended while others of its world wait for it in MPI_Init, and so would wait for
  // ever. Horovod's ranks wait for a while only, and those that a program's own HOROVOD_SIZE leaves
  // out need not come to the store.
  [[nodiscard]] std::optional<base::Rank> deserter() const { return roll_.deserter(); }
  // When ranks will have waited for so long for others of their world.
  [[nodiscard]] std::optional<base::Instant> waited_at(base::Duration patience) const;
  // When look() will have something to say.
  [[nodiscard]] std::optional<base::Instant> next_look() const { return waited_at(patience_); }
  [[nodiscard]] Look look(base::Instant now);

  [[nodiscard]] WireupStatus status() const;
  // Asserts what holds between two calls; takes time, so only tests ask.
  void check() const;
  bool operator==(const Wireup&) const = default;

 private:
  // Where ranks have waited for longest; nothing: nowhere.
  [[nodiscard]] std::optional<model::Joining> longest_wait() const;
  // Who comes or leaves may change that.
  void watch();

  struct Entry {
    PlacedWorld placed;
    Fences fences;
    std::vector<base::NodeIndex> answered;  // those of its nodes where ranks may wait
    bool operator==(const Entry&) const = default;
  };

  std::vector<Entry> worlds_;                 // index: number - 1
  std::map<std::string, std::string> names_;  // MPI_Publish_name: service to port
  std::size_t name_bytes_ = 0;                // what they take
  RollCall roll_;                             // of MPI_Init
  RollCall store_roll_;                       // of Horovod's store, where the first world meets
  bool store_doubted_ = false;
  std::optional<model::Joining> watched_;  // as longest_wait(); each wait has a patience of its own
  base::Duration patience_ = kAskRoll;
  bool asked_ = false;
};

}  // namespace muster::machine
