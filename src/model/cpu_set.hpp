// CpuSet: hardware threads by the numbers that the operating system gives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace muster::model {

// Numbers run from 0 to kCpusMax - 1: twice what Linux can be built for (NR_CPUS on x86).
inline constexpr std::uint32_t kCpusMax = 16384;

class CpuSet {
 public:
  CpuSet() = default;
  [[nodiscard]] static CpuSet of(std::uint32_t cpu);
  [[nodiscard]] static CpuSet range(std::uint32_t first, std::uint32_t last);  // both ends included

  void add(std::uint32_t cpu);  // below kCpusMax
  void remove(std::uint32_t cpu);
  [[nodiscard]] bool has(std::uint32_t cpu) const;
  [[nodiscard]] bool empty() const { return words_.empty(); }
  [[nodiscard]] std::uint32_t count() const;
  [[nodiscard]] std::vector<std::uint32_t> list() const;  // ascending
  [[nodiscard]] bool meets(const CpuSet& other) const;    // have a cpu in common
  [[nodiscard]] bool within(const CpuSet& other) const;   // the empty set is within any

  CpuSet& operator|=(const CpuSet& other);
  CpuSet& operator&=(const CpuSet& other);
  CpuSet& operator-=(const CpuSet& other);
  friend CpuSet operator|(CpuSet a, const CpuSet& b) { return a |= b; }
  friend CpuSet operator&(CpuSet a, const CpuSet& b) { return a &= b; }
  friend CpuSet operator-(CpuSet a, const CpuSet& b) { return a -= b; }

  // Equal sets have equal words: there is never a zero word at the end.
  bool operator==(const CpuSet&) const = default;
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }  // low first

 private:
  void trim();

  std::vector<std::uint64_t> words_;
};

// "0-3,8"; empty for the empty set.
[[nodiscard]] std::string to_string(const CpuSet& set);

// The numbers of "0-3,8" in the order written, none twice; Fault::usage with what is wrong. Blanks
// are not allowed; the empty text names no cpu, which is an error.
[[nodiscard]] base::Result<std::vector<std::uint32_t>> parse_cpu_list(std::string_view text);
[[nodiscard]] base::Result<CpuSet> parse_cpu_set(std::string_view text);

}  // namespace muster::model
