// Bounds: what a received message may say at the most.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/inventory.hpp"
#include "model/job_spec.hpp"
#include "model/topology_text.hpp"
#include "wire/messages.hpp"

namespace muster::wire {

// Takes numbers that have a bound and remembers the first one that breaks it.
class Bounds {
 public:
  std::uint32_t at_most(const char* name, std::int64_t value, std::uint32_t most) {
    if (value >= 0 && value <= most) return static_cast<std::uint32_t>(value);
    if (!complaint_) complaint_ = fmt::format("{} {} is not within 0 to {}", name, value, most);
    return 0;
  }
  void at_least(const char* name, std::int64_t value, std::uint32_t least) {
    if (value >= least || complaint_) return;
    complaint_ = fmt::format("{} {} is below {}", name, value, least);
  }
  void equal(const char* name, std::uint64_t value, std::uint64_t wanted) {
    if (value == wanted || complaint_) return;
    complaint_ = fmt::format("{} {} is not {}", name, value, wanted);
  }
  std::int32_t small(const char* name, std::int32_t value, std::uint32_t most) {
    return static_cast<std::int32_t>(at_most(name, value, most));
  }
  std::uint16_t port(std::uint32_t value) {
    return static_cast<std::uint16_t>(
        at_most("port", value, std::numeric_limits<std::uint16_t>::max()));
  }
  template <class Numbers>
  std::vector<std::uint16_t> ports(const Numbers& numbers) {
    std::vector<std::uint16_t> read;
    if (at_most("count of ports", numbers.size(), model::kRolesRanksMax) == 0) return read;
    read.reserve(static_cast<std::size_t>(numbers.size()));
    for (const std::uint32_t number : numbers) read.push_back(port(number));
    return read;
  }
  std::string launcher_bytes(std::string& bytes) {
    at_most("number of bytes", static_cast<std::int64_t>(bytes.size()), kLauncherBytesMax);
    return std::move(bytes);
  }
  base::Rank rank(std::uint32_t value) {
    return base::Rank(at_most("rank", value, model::kRanksMax - 1));
  }
  model::SharedTopology topology(const std::string& text) {
    if (text.empty()) return {};
    auto read = model::decode_topology(text);
    if (read) return {std::make_shared<const model::Topology>(std::move(*read))};
    if (!complaint_) complaint_ = read.error().what;
    return {};
  }
  model::CpuSet cpus(const std::string& text) {
    if (text.empty()) return {};
    auto set = model::parse_cpu_set(text);
    if (set) return std::move(*set);
    if (!complaint_) complaint_ = set.error().what;
    return {};
  }
  Stream stream(int value) {
    if (value == static_cast<int>(Stream::out)) return Stream::out;
    if (value == static_cast<int>(Stream::err)) return Stream::err;
    if (!complaint_) complaint_ = fmt::format("there is no stream {}", value);
    return Stream::out;
  }
  // Microseconds, of some hundred years: no sum of two leaves 64 bits.
  std::uint64_t clock_time(std::uint64_t value) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 52;
    if (value <= kMost) return value;
    if (!complaint_) complaint_ = fmt::format("clock {} is not within 0 to {}", value, kMost);
    return 0;
  }
  // Absent in what older programs send: then the first.
  std::uint32_t world(std::uint32_t value) {
    return std::max(1U, at_most("world", value, model::kRanksMax));
  }
  [[nodiscard]] const std::optional<std::string>& complaint() const { return complaint_; }

 private:
  std::optional<std::string> complaint_;
};

}  // namespace muster::wire
