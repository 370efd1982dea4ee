// The PMI server of one agent for one job: its local tasks' requests in, replies and effects out.
//
// It owns no descriptor. The head joins the worlds of all agents: it gathers their fences, keeps
// the published names and starts what is spawned.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "pmi/pmi_blob.hpp"
#include "pmi/pmi_values.hpp"

namespace muster::pmi {

inline constexpr std::size_t kTaskPutsMax = 4u << 20;         // of one task between two fences
inline constexpr std::size_t kHostPutsMax = 32u << 20;        // of all tasks of a host; one blob
inline constexpr std::size_t kNodeAttributesMax = 16u << 20;  // of one host
inline constexpr std::size_t kStoreMax = 512u << 20;          // of the whole job

struct LocalTask {
  base::Rank rank;
  std::uint32_t appnum = 0;  // index of its command among those of the job
};

struct WorldSpec {
  std::string kvs_name;  // the same on every host, of this job only; no blanks, at most kKvsNameMax
  std::uint32_t size = 1;
  std::uint32_t universe = 0;    // slots in all; 0: unknown
  std::string mapping;           // process_mapping(); empty: unknown
  std::string spawner;           // name of the world that spawned this one; empty: none
  std::vector<KeyValue> preput;  // what the store holds from the start
  std::vector<LocalTask> tasks;  // of this host; never empty
};

// ---- effects ------------------------------------------------------------------------------------

struct Answer {
  base::Rank task;
  Reply reply;
  bool operator==(const Answer&) const = default;
};
// All local tasks wait in a barrier. The head joins the blobs of all hosts, in the order of nodes,
// and gives the whole to fence_out() of each. Of two puts with one key the higher node's counts,
// on one node the higher rank's.
struct FenceIn {
  std::uint32_t sequence = 0;
  std::string blob;
  bool operator==(const FenceIn&) const = default;
};
struct Aborted {
  base::Rank task;
  std::int32_t code = 1;
  std::string message;
  bool operator==(const Aborted&) const = default;
};
// For the head, which answers with answered(id, reply): Done, Text, NotFound (lookup, unpublish: no
// such service; publish: it is taken already) or Failed.
struct Ask {
  std::uint64_t id = 0;
  base::Rank task;
  std::variant<Publish, Lookup, Unpublish> what;
  bool operator==(const Ask&) const = default;
};
// Answered with Spawned or Failed.
struct SpawnRequest {
  std::uint64_t id = 0;
  base::Rank task;
  Spawn spawn;
  bool operator==(const SpawnRequest&) const = default;
};

using Effect = std::variant<Answer, FenceIn, Aborted, Ask, SpawnRequest>;
using Effects = std::vector<Effect>;

// ---- what reports want to know ------------------------------------------------------------------

enum class Stage : std::uint8_t { silent, initialised, finalised };

struct TaskState {
  base::Rank rank;
  Stage stage = Stage::silent;
  bool in_barrier = false;
  bool operator==(const TaskState&) const = default;
};

class PmiWorld {
 public:
  explicit PmiWorld(const WorldSpec& spec);

  // A request of a local task; of a rank that is none is our own fault.
  [[nodiscard]] Effects handle(base::Rank task, const Request& request);
  // The joined blobs of all hosts. Only for the fence that this world is in.
  [[nodiscard]] base::Result<Effects> fence_out(std::uint32_t sequence, std::string_view blob);
  // The head's answer to an Ask or a SpawnRequest.
  [[nodiscard]] Effects answered(std::uint64_t id, const Reply& reply);
  // The task has ended: nothing is sent to it any more. A barrier still wants it.
  void gone(base::Rank task);

  [[nodiscard]] std::vector<TaskState> states() const;  // ascending ranks
  [[nodiscard]] Stage stage(base::Rank rank) const;

 private:
  struct Task {
    explicit Task(std::uint32_t app) : appnum(app), puts(kTaskPutsMax) {}
    std::uint32_t appnum;
    Stage stage = Stage::silent;
    bool in_barrier = false;
    bool gone = false;
    KeyValues puts;  // since the last fence; seen by this task alone
  };
  struct Waiting {
    base::Rank task;
    std::string key;
  };
  struct Step;  // performs one request

  [[nodiscard]] Task& task_of(base::Rank rank);
  void answer(base::Rank rank, Reply reply, Effects& out);
  [[nodiscard]] Reply put(Task& task, const Put& put);
  [[nodiscard]] Reply get(const Task& task, const std::string& kvs, const std::string& key) const;
  [[nodiscard]] Reply job_attribute(const Task& task, const std::string& key) const;
  void enter_barrier(base::Rank rank, const Barrier& barrier, Effects& out);
  [[nodiscard]] std::string take_puts();
  void put_node(base::Rank rank, const PutNodeAttribute& put, Effects& out);
  void get_node(base::Rank rank, const GetNodeAttribute& get, Effects& out);
  [[nodiscard]] std::uint64_t ask(base::Rank rank);

  std::string kvs_name_;
  std::uint32_t size_;
  std::uint32_t universe_;
  std::string mapping_;
  std::string spawner_;
  std::map<base::Rank, Task> tasks_;
  KeyValues store_;               // what fences have made visible
  KeyValues node_attributes_;     // PMI-2: visible on this host at once
  std::vector<Waiting> waiting_;  // for a node attribute
  std::size_t put_bytes_ = 0;     // of all tasks since the last fence
  std::size_t in_barrier_ = 0;
  std::uint32_t sequence_ = 0;
  bool fencing_ = false;
  std::map<std::uint64_t, base::Rank> asked_;
  std::uint64_t next_id_ = 1;
};

}  // namespace muster::pmi
