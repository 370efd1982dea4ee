// PMIx's part of the protocol: what a PMIx server asks of its launcher and what it is told.
//
// One server runs on each node, in a process of its own. Whatever it cannot answer alone comes up
// as an Upcall, to its agent and, if that has no answer, to the head; the answer, if one is due,
// goes down as a Command with the same ticket. Blobs are opaque: only PMIx servers read them, and
// they travel from node to node unchanged.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace muster::wire::pmix {

inline constexpr std::uint32_t kAllRanks = 0xfffffffe;  // PMIX_RANK_WILDCARD

// The statuses of the PMIx standard that we give ourselves; others are passed on as they come.
enum Status : std::int32_t {
  kSuccess = 0,
  kFailed = -1,
  kExists = -11,
  kTimeout = -24,
  kUnreachable = -25,
  kBadParameter = -27,
  kOutOfResource = -29,
  kNotFound = -46,
  kNotSupported = -47,
  kPartial = -52,
  kDuplicateKey = -53,
};

// A process, or all of a namespace.
struct Proc {
  std::string nspace;
  std::uint32_t rank = 0;
  auto operator<=>(const Proc&) const = default;
};

// One program of a job and its ranks, which follow those of the app before: an application context.
struct JobApp {
  std::string command;  // blank-joined
  std::string workdir;
  std::uint32_t size = 1;  // ranks
  bool operator==(const JobApp&) const = default;
};

// A node and its ranks, in the order of local ranks.
struct JobNode {
  std::string host;  // its name
  std::vector<std::uint32_t> ranks;
  bool operator==(const JobNode&) const = default;
};

// One namespace: the ranks that see each other as their world.
struct Job {
  std::string nspace;          // hard to guess: who knows it may connect
  std::vector<JobNode> nodes;  // all of the run, also those without ranks of it
  std::uint32_t universe = 0;  // slots
  std::vector<JobApp> apps;    // never empty; their sizes make up the ranks
  std::optional<Proc> parent;  // who spawned it
  std::uint32_t world = 1;     // 1: the job as it was started; then in the order of spawning
  std::uint32_t offset = 0;    // number of its rank 0 among the ranks of all worlds
  bool operator==(const Job&) const = default;
};

// Names the question of an answer; unique within one server.
using Ticket = std::uint64_t;

// A published value or one that was looked up; `blob` is a packed value with its type.
struct Datum {
  Proc owner;
  std::string key;
  std::string blob;
  bool operator==(const Datum&) const = default;
};

// What a spawner wants besides programs, in the words of MPI's info keys: "host", "wdir" ...
struct SpawnWish {
  std::string key;
  std::string value;
  bool operator==(const SpawnWish&) const = default;
};

struct AppOrder {
  std::string command;
  std::vector<std::string> arguments;    // with argv[0]
  std::vector<std::string> environment;  // NAME=VALUE, to be added
  std::uint32_t count = 1;
  std::vector<SpawnWish> wishes;  // later ones win
  bool operator==(const AppOrder&) const = default;
};

// ---- up -----------------------------------------------------------------------------------------

// The server answers connections.
struct Ready {
  bool operator==(const Ready&) const = default;
};
// The server cannot work; what and hint as in base::Error. Nothing follows.
struct Broken {
  std::string what;
  std::string hint;
  bool operator==(const Broken&) const = default;
};
struct Connected {
  Proc proc;
  bool operator==(const Connected&) const = default;
};
// The process waits for the answer, a Reply: so it cannot have ended before this is known.
struct Finalized {
  Ticket ticket = 0;
  Proc proc;
  bool operator==(const Finalized&) const = default;
};
// MPI_Abort: the code becomes the exit code. No victims: the whole namespace. The caller waits
// until it is killed, or for a Reply, after which it exits by itself.
struct Aborted {
  Ticket ticket = 0;
  Proc proc;
  std::int32_t code = 0;
  std::string message;
  std::vector<Proc> victims;
  bool operator==(const Aborted&) const = default;
};
// All participants of this node have arrived, with their data. Answer: Reply with all nodes' data.
struct Fence {
  Ticket ticket = 0;
  std::vector<Proc> procs;
  std::string blob;
  bool operator==(const Fence&) const = default;
};
// Data of a process elsewhere. Answer: Reply.
struct Modex {
  Ticket ticket = 0;
  Proc proc;
  bool operator==(const Modex&) const = default;
};
// The answer to FetchModex.
struct ModexFound {
  Ticket ticket = 0;
  std::int32_t status = 0;
  std::string blob;
  bool operator==(const ModexFound&) const = default;
};
// Answer: Reply.
struct Publish {
  Ticket ticket = 0;
  std::vector<Datum> data;
  bool once = false;  // gone when it has been read
  bool operator==(const Publish&) const = default;
};
// Answer: Found.
struct Lookup {
  Ticket ticket = 0;
  std::vector<std::string> keys;
  bool wait = false;  // until all are there
  bool operator==(const Lookup&) const = default;
};
// Answer: Reply. No keys: all that this process has published.
struct Unpublish {
  Ticket ticket = 0;
  Proc proc;
  std::vector<std::string> keys;
  bool operator==(const Unpublish&) const = default;
};
// Participants of this node want to be connected, or no longer. Answer: Reply, to all at once.
struct Connect {
  Ticket ticket = 0;
  std::vector<Proc> procs;
  bool apart = false;
  bool operator==(const Connect&) const = default;
};
// Answer: Spawned.
struct Spawn {
  Ticket ticket = 0;
  Proc proc;
  std::vector<AppOrder> apps;
  bool operator==(const Spawn&) const = default;
};
// An event for the processes of other nodes too. No answer.
struct Event {
  std::int32_t code = 0;
  Proc source;
  std::uint8_t range = 0;
  std::string blob;
  bool operator==(const Event&) const = default;
};

using Upcall = std::variant<Ready, Broken, Connected, Finalized, Aborted, Fence, Modex, ModexFound,
                            Publish, Lookup, Unpublish, Connect, Spawn, Event>;

// ---- down ---------------------------------------------------------------------------------------

// Must be written to the link before any rank of the job is started (the library turns away whom it
// does not know), and before answers that speak of it.
struct AddJob {
  // Shared: it is the same for all nodes, and has every rank's number. Never null.
  std::shared_ptr<const Job> job = std::make_shared<const Job>();
  std::uint32_t node = 0;  // index in Job::nodes: the one that this server serves; its agent knows
  std::string scratch = {};  // folder for all files of the run there; its agent decides
  bool operator==(const AddJob& other) const {
    return *job == *other.job && node == other.node && scratch == other.scratch;
  }
};
struct Reply {
  Ticket ticket = 0;
  std::int32_t status = 0;
  std::string blob;
  bool operator==(const Reply&) const = default;
};
struct Found {
  Ticket ticket = 0;
  std::int32_t status = 0;
  std::vector<Datum> data;
  bool operator==(const Found&) const = default;
};
struct Spawned {
  Ticket ticket = 0;
  std::int32_t status = 0;
  std::string nspace;
  bool operator==(const Spawned&) const = default;
};
// Wanted by another node, about a process of this one. Answer: ModexFound.
struct FetchModex {
  Ticket ticket = 0;
  Proc proc;
  bool operator==(const FetchModex&) const = default;
};

using Command = std::variant<AddJob, Reply, Found, Spawned, FetchModex, Event>;

}  // namespace muster::wire::pmix
