// encode and decode_topology.
#include "model/topology_text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace muster::model {
namespace {

constexpr std::size_t kTextMax = std::size_t{1} << 20;
constexpr std::string_view kFirstLine = "topology 1";

using Words = std::vector<std::string_view>;

std::string set_text(const CpuSet& set) { return set.empty() ? "-" : to_string(set); }

Words split(std::string_view text, char separator) {
  Words words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

tl::unexpected<base::Error> bad(std::string_view what) {
  return base::fail(base::Fault::internal, {}, "a topology that cannot be read: {}", what);
}

// A host may say anything: none of it is repeated.
base::Result<CpuSet> read_set(std::string_view word) {
  if (word == "-") return CpuSet();
  auto set = parse_cpu_set(word);
  if (!set) return bad("what should be a list of cpus is none");
  return set;
}

base::Result<std::vector<CpuSet>> read_sets(const Words& words) {
  if (words.size() - 1 > kCpusMax) return bad("too many objects");
  std::vector<CpuSet> sets;
  for (std::size_t i = 1; i < words.size(); ++i) {
    auto set = read_set(words[i]);
    if (!set) return tl::unexpected(set.error());
    sets.push_back(std::move(*set));
  }
  return sets;
}

template <class Number>
std::optional<Number> read_number(std::string_view word) {
  Number value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

base::Result<std::vector<std::uint64_t>> read_bytes(const Words& words) {
  std::vector<std::uint64_t> bytes;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto value = read_number<std::uint64_t>(words[i]);
    if (!value) return bad("memory is not a number");
    bytes.push_back(*value);
  }
  return bytes;
}

base::Result<NearDevice> read_device(const Words& words) {
  constexpr std::size_t kLeast = 4;  // without distances
  if (words.size() < kLeast) return bad("a device");
  auto cpus = read_set(words[3]);
  if (!cpus) return tl::unexpected(cpus.error());
  NearDevice device{std::string(words[1]), std::string(words[2]), std::move(*cpus)};
  for (std::size_t i = kLeast; i < words.size(); ++i) {
    const auto distance = read_number<std::uint32_t>(words[i]);
    if (!distance) return bad("a distance is not a number");
    device.distances.push_back(*distance);
  }
  return device;
}

base::Result<void> read_line(std::string_view line, Topology& topology) {
  const Words words = split(line, ' ');
  if (words.empty()) return {};
  if (words.front() == "memory") {
    auto bytes = read_bytes(words);
    if (!bytes) return tl::unexpected(bytes.error());
    topology.numa_bytes = std::move(*bytes);
    return {};
  }
  if (words.front() == "device") {
    return read_device(words).map(
        [&](NearDevice device) { topology.devices.push_back(std::move(device)); });
  }
  auto sets = read_sets(words);
  if (!sets) return tl::unexpected(sets.error());
  if (words.front() == "allowed" && sets->size() == 1) {
    topology.allowed = std::move(sets->front());
    return {};
  }
  if (words.front() == "claimed" && sets->size() == 1) {
    topology.claimed = std::move(sets->front());
    return {};
  }
  for (std::size_t level = 0; level < kLevels; ++level) {
    if (words.front() != name_of(static_cast<Level>(level))) continue;
    topology.objects[level] = std::move(*sets);
    return {};
  }
  return bad("a line with an unknown word");
}

base::Result<void> check(const Topology& topology) {
  if (topology.at(Level::machine).size() != 1) return bad("it has no single machine");
  const CpuSet& machine = topology.at(Level::machine).front();
  if (topology.allowed.empty() || !topology.allowed.within(machine)) return bad("allowed cpus");
  if (!topology.claimed.within(machine)) return bad("claimed cpus");
  if (topology.devices.size() > kNearDevicesMax) return bad("too many devices");
  for (const NearDevice& device : topology.devices) {
    if (!device.cpus.within(machine)) return bad("cpus near a device");
    const std::size_t known = device.distances.size();
    if (known != 0 && known != topology.at(Level::numa).size()) return bad("distances of a device");
  }
  if (topology.numa_bytes.size() != topology.at(Level::numa).size()) return bad("memory");
  for (std::size_t level = 0; level < kLevels; ++level) {
    for (const CpuSet& set : topology.objects[level]) {
      const bool may_be_empty = level == static_cast<std::size_t>(Level::numa);
      if (!set.within(machine) || (set.empty() && !may_be_empty)) return bad("cpus of an object");
    }
  }
  return {};
}

}  // namespace

std::string encode(const Topology& topology) {
  std::string text = fmt::format("{}\nallowed {}\n", kFirstLine, set_text(topology.allowed));
  if (!topology.claimed.empty()) text += fmt::format("claimed {}\n", set_text(topology.claimed));
  for (std::size_t level = 0; level < kLevels; ++level) {
    if (topology.objects[level].empty()) continue;
    text += name_of(static_cast<Level>(level));
    for (const CpuSet& set : topology.objects[level]) text += " " + set_text(set);
    text += '\n';
  }
  if (!topology.numa_bytes.empty()) {
    text += "memory";
    for (const std::uint64_t bytes : topology.numa_bytes) text += fmt::format(" {}", bytes);
    text += '\n';
  }
  for (const NearDevice& device : topology.devices) {
    text += fmt::format("device {} {} {}", device.name, device.kind, set_text(device.cpus));
    for (const std::uint32_t distance : device.distances) text += fmt::format(" {}", distance);
    text += '\n';
  }
  return text;
}

base::Result<Topology> decode_topology(std::string_view text) {
  if (text.size() > kTextMax) return bad("it is too long");
  const Words lines = split(text, '\n');
  if (lines.empty() || lines.front() != kFirstLine) return bad("it does not begin as one");
  Topology topology;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto read = read_line(lines[i], topology);
    if (!read) return tl::unexpected(read.error());
  }
  const auto valid = check(topology);
  if (!valid) return tl::unexpected(valid.error());
  return topology;
}

}  // namespace muster::model
