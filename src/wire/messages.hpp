// The messages between head and agent, as plain values. docs/PROTOCOL.md tells their order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "model/container.hpp"
#include "model/cpu_set.hpp"
#include "model/inventory.hpp"
#include "model/report.hpp"
#include "model/stream.hpp"
#include "wire/plan_digest.hpp"
#include "wire/pmix.hpp"
#include "wire/world.hpp"

namespace muster::wire {

// What to do about bytes that no muster of this version sends.
inline constexpr const char* kOtherVersion =
    "is it the same muster on both hosts? compare `muster --version`";

inline constexpr std::uint32_t kProtocol = 4;

using model::Stream;

// A Python traceback is some kilobytes.
inline constexpr std::uint32_t kErrorFileMax = 64u << 10;

// Of one message; more goes in several.
inline constexpr std::uint32_t kLauncherBytesMax = 1u << 20;

// A task with hundreds of threads has more.
inline constexpr std::uint32_t kStackMax = 64u << 10;

// PATH_MAX of Linux, which the paths of programs are shorter than.
inline constexpr std::uint32_t kProgramPathMax = 4096;

// An error of the kernel's, in the C library's words.
inline constexpr std::uint32_t kReasonMax = 200;

// The name of an MPI library and its version.
inline constexpr std::uint32_t kLibraryMax = 100;

// ---- head to agent ------------------------------------------------------------------------------

struct Hello {
  std::uint32_t protocol = kProtocol;
  std::string job;  // random, names the job on every host
  base::NodeIndex node;
  std::uint32_t lease_ms = 0;  // silence after which the agent ends its tasks by itself
  std::uint32_t grace_ms = 0;  // between SIGTERM and SIGKILL when it must do so
  bool topology = false;       // Welcome shall tell the host's hardware too: some milliseconds
  std::uint32_t ports = 0;     // as many free ones shall be claimed for ranks and told in Welcome
  bool operator==(const Hello&) const = default;
};

// What a host has to know besides World, the last that has come. The agent checks programs and
// folders and answers Prepared or Refused; nothing starts yet. For a world that is spawned while
// others run, it answers Prepared or Declined.
struct Prepare {
  std::uint32_t world = 1;               // World::number
  base::NodeIndex node;                  // in World::plan
  std::vector<std::uint32_t> fed = {};   // local ranks that get a pipe as stdin
  std::vector<model::CpuSet> sets = {};  // the different ones that ranks are bound to
  std::vector<std::uint32_t> bindings =
      {};                      // by local rank, as PlannedRank::binding; or none at all
  std::string interface = {};  // that reaches the other hosts; may be empty
  model::Cpus cpus = {};
  bool rdma = false;                         // as in HostFacts
  std::vector<model::Devices> devices = {};  // this node's share of its machine's
  std::string visible = {};                  // as in model::Host
  // To be kept from all programs that do not set SO_REUSEADDR, until another round; 0: none.
  std::uint16_t held_port = 0;
  model::CpuSet claims = {};  // other jobs of muster shall not bind to them meanwhile
  std::vector<model::Devices> device_claims = {};  // nor deal these to their ranks
  // For a host that joins late: the worlds that its PMIx server has missed.
  std::vector<pmix::AddJob> earlier = {};
  bool operator==(const Prepare&) const = default;
};

struct Start {
  std::uint32_t world = 1;
  bool operator==(const Start&) const = default;
};

// A spawned world will not be started: some host has declined it.
struct Drop {
  std::uint32_t world = 0;
  bool operator==(const Drop&) const = default;
};

// Sent to the process group of every task.
struct Signal {
  std::int32_t number = 0;
  bool operator==(const Signal&) const = default;
};

// What is every task doing that runs? Each is answered by one Traced.
struct Trace {
  bool stacks = false;
  bool operator==(const Trace&) const = default;
};

// End every task: the signal now (0 = SIGKILL at once), SIGKILL after the grace time, then a sweep.
struct Stop {
  std::int32_t number = 0;
  std::uint32_t grace_ms = 0;
  bool operator==(const Stop&) const = default;
};

struct Input {  // travels raw
  base::Rank rank;
  std::string bytes;
  bool operator==(const Input&) const = default;
};

struct InputEnd {
  base::Rank rank;
  bool operator==(const InputEnd&) const = default;
};

struct Credit {
  base::Rank rank;
  Stream stream = Stream::out;
  std::uint32_t bytes = 0;
  bool operator==(const Credit&) const = default;
};

// The head was suspended (Ctrl-Z) or goes on: while suspended its silence is no fault.
struct Suspend {
  bool suspended = false;
  bool operator==(const Suspend&) const = default;
};

// The parts of all hosts, joined in the order of nodes: an answer to FenceIn.
struct FenceOut {
  std::uint32_t sequence = 0;
  std::string blob;
  std::uint32_t world = 1;
  bool operator==(const FenceOut&) const = default;
};

// The answer to Spawn. The new world's ranks are being started, or why not.
struct Spawned {
  std::uint64_t id = 0;
  bool pmix = false;        // as in Spawn
  std::uint32_t world = 0;  // 0: refused
  std::string name;         // of its key-value space
  bool operator==(const Spawned&) const = default;
};

// For this host's PMIx server.
struct PmixDown {
  pmix::Command command;
  bool operator==(const PmixDown&) const = default;
};

enum class NameVerdict : std::uint8_t { done, found, not_found };

// The answer to NameAsk.
struct NameAnswer {
  std::uint64_t id = 0;
  NameVerdict verdict = NameVerdict::done;
  std::string port;  // found
  bool operator==(const NameAnswer&) const = default;
};

struct Ping {
  bool operator==(const Ping&) const = default;
};
struct Bye {
  std::string report = {};  // for whoever started the agent, if it was not the head: how it ended
  std::uint32_t code = 0;   // likewise, its exit code
  bool operator==(const Bye&) const = default;
};  // nothing of this run is to be done any more

// For a launcher that one of this run's ranks has called.
struct ToLauncher {
  std::uint32_t connection = 0;  // as in FromLauncher
  std::string bytes;             // at most kLauncherBytesMax; none: it is closed
  bool operator==(const ToLauncher&) const = default;
};

// ---- launcher inside a rank to the head above it, about the host that its frame names

struct Reach {
  std::string name;  // as the user wrote it
  std::string user;  // may be empty
  std::uint32_t port = 0;
  bool operator==(const Reach&) const = default;
};

// It is not needed any more.
struct Release {
  bool operator==(const Release&) const = default;
};

// ---- head to the agent that a carrier has started, before all else

// All that follows is for an agent in a container, which the one that hears this starts there, and
// passes everything on to. Refused, in answer to Hello, says why there is none.
struct Contain {
  model::ContainerSpec container;
  std::string name;                       // of the container; the agent makes it unique
  std::uint32_t grace_ms = 0;             // as in Hello
  std::vector<std::string> folders = {};  // made on the host first
  bool operator==(const Contain&) const = default;
};

using ToAgent = std::variant<Hello, Prepare, Start, Signal, Stop, Input, InputEnd, Credit, Suspend,
                             FenceOut, NameAnswer, PmixDown, Ping, Bye, Drop, Spawned, Trace, World,
                             ToLauncher, Reach, Release, Contain>;

// ---- agent to head ------------------------------------------------------------------------------

struct Welcome {
  std::uint32_t protocol = kProtocol;
  std::string version;  // of the program, for messages only
  model::HostFacts facts;
  std::uint64_t came_us = 0;  // when Hello came, on the agent's steady clock; 0: not told
  std::uint64_t left_us = 0;  // when this left, likewise
  std::optional<model::SharedMemory> shared = {};
  std::uint64_t plans = plan_digest();  // of the functions that make environments there
  bool operator==(const Welcome&) const = default;
};

struct Prepared {
  std::uint32_t world = 1;
  // Of the first world: where this host finds the python_program of an app outside its
  // python_environment, or just the program's name where it finds none; the first such app's, empty
  // as a rule.
  std::string outside = {};
  // Why the kernel takes no memory policy, where ranks run without; empty as a rule.
  std::string no_memory = {};
  // Which program of that host, which tells of its devices, does not answer within which time;
  // empty as a rule.
  std::string unanswered = {};
  bool operator==(const Prepared&) const = default;
};

// Other jobs of muster hold some of what Prepare claims. Nothing was prepared: another Prepare may
// come.
struct Taken {
  model::CpuSet cpus;                        // all that others hold there
  std::vector<model::Devices> devices = {};  // of Prepare::device_claims
  bool operator==(const Taken&) const = default;
};

// The agent cannot do what it was asked; nothing was started. The error does not name the host.
struct Refused {
  base::Error error;
  bool operator==(const Refused&) const = default;
};

// The agent cannot start its part of a spawned world; all else goes on.
struct Declined {
  std::uint32_t world = 0;
  base::Error error;  // does not name the host
  bool operator==(const Declined&) const = default;
};

struct Started {
  base::Rank rank;
  std::int32_t pid = 0;
  bool operator==(const Started&) const = default;
};

struct Output {  // travels raw
  base::Rank rank;
  Stream stream = Stream::out;
  std::string bytes;
  bool operator==(const Output&) const = default;
};

struct OutputEnd {
  base::Rank rank;
  Stream stream = Stream::out;
  bool operator==(const OutputEnd&) const = default;
};

struct Exited {
  model::RankExit exit;
  std::string error_file = {};  // what a task that failed wrote there, at most kErrorFileMax bytes
  std::uint64_t at_us = 0;      // when its guard noticed, on the agent's steady clock; 0: not told
  // Of a task that failed before anybody ended it.
  std::optional<model::Circumstances> around = {};
  std::uint64_t told_us = 0;  // when it last wrote error_file, on the agent's steady clock; 0: none
  bool operator==(const Exited&) const = default;
};

// The task has taken so many bytes of its input.
struct InputCredit {
  base::Rank rank;
  std::uint32_t bytes = 0;
  bool operator==(const InputCredit&) const = default;
};

// This host's part of a collective exchange: all its ranks wait for FenceOut.
struct FenceIn {
  std::uint32_t sequence = 0;
  std::string blob;
  std::uint32_t world = 1;
  bool operator==(const FenceIn&) const = default;
};

// What a task was doing when the head sent Trace.
struct Traced {
  base::Rank rank;
  std::string state;  // one line: "sleeping in do_wait, 12 threads"
  std::string stack;  // lines, at most kStackMax bytes; empty: not asked for
  bool operator==(const Traced&) const = default;
};

// A rank called MPI_Abort, or broke the rules of the wire-up.
struct Aborted {
  base::Rank rank;
  std::int32_t code = 1;
  std::string message;  // may be empty
  bool operator==(const Aborted&) const = default;
};

// Ranks of this host that have called MPI_Init; each is told once. A host tells of the first and of
// the last of a world by itself, and of all there are before it ends its tasks.
struct Attendance {
  std::vector<base::Rank> ranks;
  // Of MPI, that the last of them has loaded, as "MPICH 4.2.1": told once for each host and world
  // that reaches beyond it. Empty: not told, or not known.
  std::string library = {};
  bool operator==(const Attendance&) const = default;
};

// One command of MPI_Comm_spawn_multiple, or the only one of MPI_Comm_spawn.
struct SpawnApp {
  std::vector<std::string> command;    // program and arguments
  std::vector<NameValue> environment;  // besides what the first world's ranks have
  std::uint32_t ranks = 1;
  std::vector<NameValue> info;  // as the spawner gave it: "host", "wdir" ...
  bool operator==(const SpawnApp&) const = default;
};

// A rank called MPI_Comm_spawn. Answer: Spawned.
struct Spawn {
  std::uint64_t id = 0;
  base::Rank rank;
  bool pmix = false;  // which of the host's wire-up servers asks, and wants the answer
  std::vector<SpawnApp> apps;
  std::vector<NameValue> preput;  // what the new world's key-value space holds from the start
  bool operator==(const Spawn&) const = default;
};

// Of this host's PMIx server.
struct PmixUp {
  pmix::Upcall upcall;
  bool operator==(const PmixUp&) const = default;
};

enum class NameVerb : std::uint8_t { publish, lookup, unpublish };

// MPI_Publish_name and its kin; names are kept by the head, for the whole job.
struct NameAsk {
  std::uint64_t id = 0;
  NameVerb verb = NameVerb::lookup;
  std::string service;
  std::string port;  // publish
  bool operator==(const NameAsk&) const = default;
};

// Every task has exited, every stream has ended, the sweep is done. The last message.
struct Stopped {
  std::uint32_t killed = 0;            // tasks that needed SIGKILL after the grace time
  std::vector<std::string> leftovers;  // processes that could not be ended, "pid 42 (name)"
  bool operator==(const Stopped&) const = default;
};

struct Pong {
  std::uint64_t at_us = 0;  // the agent's steady clock; 0: it answers no Ping, and just makes noise
  bool operator==(const Pong&) const = default;
};

// Of a launcher that one of this run's ranks has called.
struct FromLauncher {
  std::uint32_t connection = 0;  // numbered by the agent, for each run from 1
  std::string bytes;             // at most kLauncherBytesMax; none: it is closed
  bool operator==(const FromLauncher&) const = default;
};

// ---- head above to a launcher inside a rank, about the host that its frame names

// Its agent waits for Hello.
struct Reached {
  bool operator==(const Reached&) const = default;
};

// There is no agent there, or none any more.
struct Unreached {
  base::Error error;
  bool operator==(const Unreached&) const = default;
};

using ToHead = std::variant<Welcome, Prepared, Refused, Started, Output, OutputEnd, Exited,
                            InputCredit, FenceIn, Aborted, NameAsk, PmixUp, Stopped, Pong, Declined,
                            Spawn, Attendance, Traced, Taken, FromLauncher, Reached, Unreached>;

}  // namespace muster::wire
