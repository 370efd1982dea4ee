// Writes and reads the messages between a guard and its owner.
#include "process/guard_orders.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

namespace muster::process {
namespace {

struct SpawnCounts {
  std::uint32_t arguments = 0;
  std::uint32_t environment = 0;
  std::uint32_t cpu_words = 0;
  std::uint32_t memory_mode = 0;  // of model::MemoryMode
  std::uint32_t memory_words = 0;
  std::array<bool, kTaskDescriptors> has_descriptor{};
};

template <class T>
void append_value(std::string& out, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
std::optional<T> whole_value(std::string_view body) {
  if (body.size() != sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, body.data(), sizeof value);
  return value;
}

// Up to its first NUL: no more of it could reach a program.
void append_string(std::string& out, const std::string& text) {
  out.append(text.c_str(), std::strlen(text.c_str()) + 1);
}

std::string with_header(MessageKind kind, ProcessId id, std::int32_t number) {
  std::string out;
  append_value(out, MessageHeader{0, kind, id, number});
  return out;
}

// Takes one string off the front; null when none ends in there.
char* take_string(std::string_view& rest) {
  const auto end = rest.find('\0');
  if (end == std::string_view::npos) return nullptr;
  // exec takes char* for historical reasons; it does not write.
  char* const text = const_cast<char*>(rest.data());
  rest.remove_prefix(end + 1);
  return text;
}

bool take_words(std::string_view& rest, std::uint32_t count, std::vector<std::uint64_t>& out) {
  if (count > rest.size() / sizeof(std::uint64_t)) return false;
  out.resize(count);
  if (count == 0) return true;  // memcpy must not see a null pointer
  std::memcpy(out.data(), rest.data(), count * sizeof(std::uint64_t));
  rest.remove_prefix(count * sizeof(std::uint64_t));
  return true;
}

bool take_strings(std::string_view& rest, std::uint32_t count, std::vector<char*>& out) {
  if (count > rest.size()) return false;
  out.reserve(count + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    out.push_back(take_string(rest));
    if (out.back() == nullptr) return false;
  }
  out.push_back(nullptr);
  return true;
}

// A PWD of the place we came from would be wrong in the new one; a relative one is of no use.
std::uint32_t append_environment(std::string& out, const SpawnOrder& order) {
  std::uint32_t count = 0;
  const auto append = [&](const std::string& entry) {
    append_string(out, entry);
    ++count;
  };
  if (order.common) {
    out += order.common->bytes;
    count += order.common->count;
  }
  for (const auto& entry : order.environment) {
    if (order.workdir.empty() || !entry.starts_with("PWD=")) append(entry);
  }
  if (order.workdir.starts_with('/')) append("PWD=" + order.workdir);
  return count;
}

void set_body_size(std::string& message, std::size_t start) {
  // A size beyond 32 bits cannot be sent at all; the sender refuses it by max_body_size.
  const auto size = std::min<std::size_t>(message.size() - start - sizeof(MessageHeader),
                                          std::numeric_limits<std::uint32_t>::max());
  const auto body_size = static_cast<std::uint32_t>(size);
  std::memcpy(message.data() + start + offsetof(MessageHeader, body_size), &body_size,
              sizeof body_size);
}

template <class T>
void append_message(std::string& out, MessageKind kind, const T& body) {
  append_value(out, MessageHeader{sizeof body, kind, body.id, 0});
  append_value(out, body);
}

}  // namespace

void EnvironmentBlock::add(std::string_view name, std::string_view value) {
  append_string(bytes, fmt::format("{}={}", name, value));
  ++count;
}

std::string encode_spawn(const SpawnOrder& order) {
  std::string out = with_header(MessageKind::spawn, order.id, 0);
  SpawnCounts counts{static_cast<std::uint32_t>(order.arguments.size()),
                     0,
                     static_cast<std::uint32_t>(order.cpus.words().size()),
                     static_cast<std::uint32_t>(order.memory.mode),
                     static_cast<std::uint32_t>(order.memory.nodes.words().size()),
                     {order.in >= 0, order.out >= 0, order.err >= 0, order.wireup >= 0}};
  const auto counts_at = out.size();
  append_value(out, counts);
  for (const std::uint64_t word : order.cpus.words()) append_value(out, word);
  for (const std::uint64_t word : order.memory.nodes.words()) append_value(out, word);
  append_string(out, order.program);
  append_string(out, order.workdir);
  for (const auto& argument : order.arguments) append_string(out, argument);
  counts.environment = append_environment(out, order);
  std::memcpy(out.data() + counts_at, &counts, sizeof counts);
  set_body_size(out, 0);
  return out;
}

std::string encode_signal(ProcessId id, int number) {
  return with_header(MessageKind::signal, id, number);
}

std::string encode_sweep() { return with_header(MessageKind::sweep, 0, 0); }

std::string encode_grace(base::Duration grace) {
  const auto milliseconds =
      std::clamp<base::Duration::rep>(grace.count(), 0, std::numeric_limits<std::int32_t>::max());
  return with_header(MessageKind::grace, 0, static_cast<std::int32_t>(milliseconds));
}

std::string encode_skip_epilogue() { return with_header(MessageKind::skip_epilogue, 0, 0); }

std::string encode_remove(const std::string& folder) {
  std::string out = with_header(MessageKind::remove, 0, 0);
  append_string(out, folder);
  set_body_size(out, 0);
  return out;
}

void append_spawned(std::string& out, const Spawned& reply) {
  append_message(out, MessageKind::spawned, reply);
}

void append_ended(std::string& out, const Ended& reply) {
  append_message(out, MessageKind::ended, reply);
}

void append_swept(std::string& out, const Swept& reply) {
  const auto start = out.size();
  append_value(out, MessageHeader{0, MessageKind::swept, 0, 0});
  for (const auto& leftover : reply.leftovers) append_string(out, leftover);
  set_body_size(out, start);
}

std::optional<SpawnView> decode_spawn(const Message& message) {
  std::string_view rest = message.body;
  const auto counts = whole_value<SpawnCounts>(rest.substr(0, sizeof(SpawnCounts)));
  if (!counts) return std::nullopt;
  rest.remove_prefix(sizeof(SpawnCounts));
  SpawnView view;
  if (counts->memory_mode > static_cast<std::uint32_t>(model::MemoryMode::bind))
    return std::nullopt;
  view.memory_mode = static_cast<model::MemoryMode>(counts->memory_mode);
  if (!take_words(rest, counts->cpu_words, view.cpus)) return std::nullopt;
  if (!take_words(rest, counts->memory_words, view.memory_nodes)) return std::nullopt;
  view.program = take_string(rest);
  view.workdir = take_string(rest);
  view.has_descriptor = counts->has_descriptor;
  const bool whole = view.program != nullptr && view.workdir != nullptr &&
                     take_strings(rest, counts->arguments, view.arguments) &&
                     take_strings(rest, counts->environment, view.environment) && rest.empty();
  if (!whole) return std::nullopt;
  return view;
}

std::optional<std::string> decode_remove(const Message& message) {
  std::string_view rest = message.body;
  const char* const folder = take_string(rest);
  if (folder == nullptr || !rest.empty()) return std::nullopt;
  return folder;
}

std::optional<Spawned> decode_spawned(const Message& message) {
  return whole_value<Spawned>(message.body);
}

std::optional<Ended> decode_ended(const Message& message) {
  return whole_value<Ended>(message.body);
}

std::optional<Swept> decode_swept(const Message& message) {
  Swept swept;
  std::string_view rest = message.body;
  while (!rest.empty()) {
    const char* const leftover = take_string(rest);
    if (leftover == nullptr) return std::nullopt;
    swept.leftovers.emplace_back(leftover);
  }
  return swept;
}

}  // namespace muster::process
