// Requests and replies of the PMI-1 and PMI-2 server, as plain values.
//
// Both protocols ask for the same things; a value does not say in which of them it travelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.hpp"

namespace muster::pmi {

// Bounds of what clients may send.
inline constexpr std::size_t kKvsNameMax = 256;
inline constexpr std::size_t kKeyMax = 64;
inline constexpr std::size_t kValueMax = 1024;
// Service names and ports of MPI_Publish_name, messages of MPI_Abort.
inline constexpr std::size_t kTextMax = 2048;

inline constexpr std::uint32_t kSpawnCommandsMax = 1024;     // of one MPI_Comm_spawn_multiple
inline constexpr std::uint32_t kSpawnCopiesMax = 1'000'000;  // processes of one of its commands

struct KeyValue {
  std::string key;
  std::string value;
  bool operator==(const KeyValue&) const = default;
};

// ---- requests -----------------------------------------------------------------------------------

struct Init {
  std::uint32_t version = 1;
  std::uint32_t subversion = 1;
  bool operator==(const Init&) const = default;
};
struct PortInit {  // the first line of a client that came through a port; rank as it believes
  std::uint32_t rank = 0;
  bool operator==(const PortInit&) const = default;
};
struct SingletonInit {
  bool operator==(const SingletonInit&) const = default;
};
struct FullInit {  // the second step of PMI-2
  std::optional<std::uint32_t> rank;
  bool operator==(const FullInit&) const = default;
};
struct GetMaxes {
  bool operator==(const GetMaxes&) const = default;
};
struct GetAppnum {
  bool operator==(const GetAppnum&) const = default;
};
struct GetKvsName {
  bool operator==(const GetKvsName&) const = default;
};
struct GetUniverseSize {
  bool operator==(const GetUniverseSize&) const = default;
};
struct Put {
  std::string kvs;  // empty: this world's own; PMI-2 never names it
  std::string key;
  std::string value;
  bool operator==(const Put&) const = default;
};
struct Get {
  std::string kvs;
  std::string key;
  bool operator==(const Get&) const = default;
};
struct GetJobAttribute {
  std::string key;
  bool operator==(const GetJobAttribute&) const = default;
};
struct PutNodeAttribute {
  std::string key;
  std::string value;
  bool operator==(const PutNodeAttribute&) const = default;
};
struct GetNodeAttribute {
  std::string key;
  bool wait = false;  // no answer until a task of this host has put it
  bool operator==(const GetNodeAttribute&) const = default;
};
struct Barrier {      // also PMI-2's fence
  std::string group;  // empty or "WORLD": everybody; PMI 1.2 knows others
  bool operator==(const Barrier&) const = default;
};
struct Finalize {
  bool operator==(const Finalize&) const = default;
};
struct Abort {  // the only request without an answer
  std::int32_t code = 1;
  std::string message;
  bool operator==(const Abort&) const = default;
};
struct Publish {
  std::string service;
  std::string port;
  bool operator==(const Publish&) const = default;
};
struct Lookup {
  std::string service;
  bool operator==(const Lookup&) const = default;
};
struct Unpublish {
  std::string service;
  bool operator==(const Unpublish&) const = default;
};
struct SpawnCommand {
  std::string program;
  std::vector<std::string> arguments;
  std::uint32_t copies = 1;
  std::vector<KeyValue> info;  // "wdir", "host", "path", ...
  bool operator==(const SpawnCommand&) const = default;
};
struct Spawn {
  std::vector<SpawnCommand> commands;
  std::vector<KeyValue> preput;  // what the new world finds in its store
  bool operator==(const Spawn&) const = default;
};
struct Unsupported {  // known to the protocol, used by no living client, refused politely
  bool operator==(const Unsupported&) const = default;
};

using Request =
    std::variant<Init, PortInit, SingletonInit, FullInit, GetMaxes, GetAppnum, GetKvsName,
                 GetUniverseSize, Put, Get, GetJobAttribute, PutNodeAttribute, GetNodeAttribute,
                 Barrier, Finalize, Abort, Publish, Lookup, Unpublish, Spawn, Unsupported>;

// ---- replies ------------------------------------------------------------------------------------

struct Done {
  bool operator==(const Done&) const = default;
};
struct Number {
  std::int64_t value = 0;
  bool operator==(const Number&) const = default;
};
struct Text {
  std::string value;
  bool operator==(const Text&) const = default;
};
struct NotFound {
  bool operator==(const NotFound&) const = default;
};
struct Failed {
  std::string message;  // without blanks: PMI-1 ends a value at the first one
  bool operator==(const Failed&) const = default;
};
struct Identity {
  std::uint32_t rank = 0;
  std::uint32_t size = 1;
  std::uint32_t appnum = 0;
  std::string spawner;  // the job that spawned this one; empty: none
  bool operator==(const Identity&) const = default;
};
struct Spawned {
  std::string job;                   // the new world's name
  std::vector<std::int32_t> errors;  // per process, in order; empty: all started
  bool operator==(const Spawned&) const = default;
};

using Reply = std::variant<Done, Number, Text, NotFound, Failed, Identity, Spawned>;

}  // namespace muster::pmi
