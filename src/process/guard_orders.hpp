// The orders to a guard and its replies as bytes: a fixed header, then a body.
//
// Both ends are the same program on the same machine, so numbers travel in native layout. Strings
// end with a NUL, as exec wants them, so that the guard starts a process from the bytes received.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "process/guard.hpp"
#include "process/task_descriptors.hpp"

namespace muster::process {

enum class MessageKind : std::uint32_t {
  spawn,
  signal,
  sweep,
  grace,
  remove,
  skip_epilogue,
  spawned,
  ended,
  swept,
};

struct MessageHeader {
  std::uint32_t body_size = 0;  // bytes that follow the header
  MessageKind kind = MessageKind::sweep;
  ProcessId id = 0;
  std::int32_t number = 0;  // the signal, or the grace in milliseconds
};

// A received message; the body lives in the receiver's buffer until it reads again.
struct Message {
  MessageHeader header;
  std::string_view body;
};

// Far above what the kernel accepts for arguments and environment together (6 MiB).
inline constexpr std::size_t max_body_size = std::size_t{16} << 20;

// A spawn order, pointing into a message's body. The vectors end with a null pointer.
struct SpawnView {
  const char* program = nullptr;
  const char* workdir = nullptr;    // "" when the guard's own is wanted
  std::vector<std::uint64_t> cpus;  // a bit for each; empty when all will do
  model::MemoryMode memory_mode = model::MemoryMode::inherited;
  std::vector<std::uint64_t> memory_nodes;  // a bit for each NUMA node of its policy
  std::vector<char*> arguments;
  std::vector<char*> environment;
  // Which of 0, 1, 2, 3 have a descriptor; these were sent in that order with the first byte.
  std::array<bool, kTaskDescriptors> has_descriptor{};
};

// The environment carries PWD as the shell would set it after a cd to the workdir.
[[nodiscard]] std::string encode_spawn(const SpawnOrder& order);
[[nodiscard]] std::string encode_signal(ProcessId id, int number);
[[nodiscard]] std::string encode_sweep();
[[nodiscard]] std::string encode_grace(base::Duration grace);
[[nodiscard]] std::string encode_skip_epilogue();
[[nodiscard]] std::string encode_remove(const std::string& folder);
void append_spawned(std::string& out, const Spawned& reply);
void append_ended(std::string& out, const Ended& reply);
void append_swept(std::string& out, const Swept& reply);

// Nothing when the body does not hold what its counts promise.
[[nodiscard]] std::optional<SpawnView> decode_spawn(const Message& message);
[[nodiscard]] std::optional<std::string> decode_remove(const Message& message);
[[nodiscard]] std::optional<Spawned> decode_spawned(const Message& message);
[[nodiscard]] std::optional<Ended> decode_ended(const Message& message);
[[nodiscard]] std::optional<Swept> decode_swept(const Message& message);

}  // namespace muster::process
