// Mapping: how ranks are to be dealt to hosts and hardware, numbered, and bound. What was asked, in
// the words of Open MPI and Hydra; plan::place() carries it out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "model/cpu_set.hpp"
#include "model/memory_policy.hpp"
#include "model/topology.hpp"

namespace muster::model {

// Whose rules say how many ranks a host takes, and how they are dealt.
enum class SlotRule : std::uint8_t {
  muster,    // plan::inventory() and plan::place() say
  open_mpi,  // bare -H host: 1 slot; bare hostfile line: its cores; this host first; none beyond
  hydra,     // bare host: 1; in the order written; when all are full the pattern repeats
};

enum class MapBy : std::uint8_t {
  slot,
  node,
  seq,       // one rank for each host entry, in the order written
  object,    // Mapping::level
  ppr,       // Mapping::per_object on each object of Mapping::level
  rankfile,  // Mapping::rankfile
  distance,  // NUMA nodes one after the other, the nearest to Mapping::device first
  pe_list,   // by slot; the k-th rank of a host takes the k-th cpus of Mapping::cpu_list
};

enum class RankBy : std::uint8_t {
  slot,
  node,
  object,  // round-robin over the objects of Mapping::rank_level of a node, then the next node
  fill,    // all ranks of an object, then the next object
  span,    // round-robin over the objects of all nodes
};

enum class BindTo : std::uint8_t {
  none,
  object,    // Mapping::bind_level
  cpu_list,  // all of Mapping::cpu_list, or with bind_ordered the k-th of it for local rank k
  rr,        // Hydra: local rank k on hardware thread k
  user,      // Hydra: local rank k on user_sets[k]; later ranks are not bound
  gpu,  // local rank k on the cpus near its GPUs: those dealt to it, else number k of the host;
        // or near Mapping::near
};

// What of the cpus near its GPU a rank is bound to.
enum class NearGpu : std::uint8_t {
  node,    // all of its NUMA node
  socket,  // all of the node's socket
  cores,   // of the node those that no other GPU has
  cache,   // one of the node's largest caches
};

// One line "rank R=host slot=..." of a rankfile.
struct RankfileEntry {
  base::Rank rank;
  std::string host;  // as written; "+nK" is the K-th host of the list, from 0
  // slot=0-3,8: cpus by number (cores, in logical order, as Open MPI counts them).
  std::vector<std::uint32_t> cpus;
  // slot=S:C,S:C-D,S:*: cores of sockets, both counted in logical order from 0.
  struct Cores {
    std::optional<std::uint32_t> socket;  // empty: every socket
    std::uint32_t first = 0;
    std::optional<std::uint32_t> last;  // empty: to the end of the socket
    bool operator==(const Cores&) const = default;
  };
  std::vector<Cores> cores;  // either cpus or cores is given
  base::Place place;
  bool operator==(const RankfileEntry&) const = default;
};

struct Mapping {
  MapBy map_by = MapBy::slot;
  Level level = Level::core;     // for object and ppr; ppr per node is Level::machine
  std::uint32_t per_object = 1;  // ppr:N
  std::uint32_t map_width = 1;   // Hydra: so many objects of `level` make one place
  bool map_given = false;        // by the user, not by a default
  std::string device = {};  // distance: its name on each host; "auto": the one InfiniBand device

  bool span = false;                // objects of all nodes as if of one machine
  std::uint32_t cpus_per_rank = 1;  // PE=n
  bool hwthread_cpus = false;       // hardware threads, not cores, count as cpus
  bool no_local = false;            // nothing on the host that we run on
  bool no_oversubscribe = false;    // said by the user; JobSpec::oversubscribe is the opposite

  RankBy rank_by = RankBy::slot;
  Level rank_level = Level::core;  // for object, fill and span
  bool rank_given = false;

  BindTo bind_to = BindTo::none;
  Level bind_level = Level::core;
  std::uint32_t bind_width = 1;  // Hydra: so many objects of `bind_level` for one rank
  // BindTo::gpu, Hydra: devices, `bind_width` for one rank: all of a kind in turn ("gpu", "ib",
  // "hfi", "en", "eth"), or one by its name ("mlx5_0", "gpu1"). Empty: a rank's GPUs.
  std::string near = {};
  // Where all hosts tell where their GPUs are, local rank k is bound near GPU k instead of to what
  // `bind_to` says: torchrun's --numa-binding.
  std::optional<NearGpu> near_gpu = {};
  bool bind_given = false;
  bool bind_by_default = false;    // with nothing given, bind as Open MPI does
  bool bind_overload = false;      // more ranks than cpus on an object are meant
  bool bind_if_supported = false;  // where a host lacks bind_level, do not bind
  bool bind_ordered = false;
  bool bind_or_not = true;  // the option that asks for it also takes if-supported; for hints

  std::optional<CpuSet> cpu_set;        // no rank may leave these; numbers as cpu_list
  std::vector<std::uint32_t> cpu_list;  // in the order given
  std::vector<CpuSet> user_sets;        // Hydra's user:0+2,1
  std::vector<RankfileEntry> rankfile;

  MemoryWish memory = {};  // beside all of the above: it neither maps nor binds to cpus

  bool operator==(const Mapping&) const = default;
};

}  // namespace muster::model
