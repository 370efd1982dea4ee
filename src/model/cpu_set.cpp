// CpuSet and its text.
#include "model/cpu_set.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include "base/check.hpp"

namespace muster::model {
namespace {

constexpr std::uint32_t kBits = 64;

std::uint64_t bit(std::uint32_t cpu) { return std::uint64_t{1} << (cpu % kBits); }

struct Range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

base::Result<Range> parse_range(std::string_view piece, std::string_view whole) {
  const std::size_t dash = piece.find('-');
  const auto first = number(piece.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number(piece.substr(dash + 1));
  if (!first || !last || *first > *last) {
    return base::fail(base::Fault::usage, "write numbers and ranges, as in 0-3,8",
                      "'{}' is not a list of cpus", whole);
  }
  if (*last >= kCpusMax) {
    return base::fail(base::Fault::usage, {}, "there is no cpu {}; {} is the highest", *last,
                      kCpusMax - 1);
  }
  return Range{*first, *last};
}

}  // namespace

CpuSet CpuSet::of(std::uint32_t cpu) { return range(cpu, cpu); }

CpuSet CpuSet::range(std::uint32_t first, std::uint32_t last) {
  CpuSet set;
  for (std::uint32_t cpu = first; cpu <= last; ++cpu) set.add(cpu);
  return set;
}

void CpuSet::add(std::uint32_t cpu) {
  CHECK(cpu < kCpusMax);
  const std::size_t word = cpu / kBits;
  if (words_.size() <= word) words_.resize(word + 1);
  words_[word] |= bit(cpu);
}

void CpuSet::remove(std::uint32_t cpu) {
  if (!has(cpu)) return;
  words_[cpu / kBits] &= ~bit(cpu);
  trim();
}

bool CpuSet::has(std::uint32_t cpu) const {
  const std::size_t word = cpu / kBits;
  return word < words_.size() && (words_[word] & bit(cpu)) != 0;
}

std::uint32_t CpuSet::count() const {
  std::uint32_t sum = 0;
  for (const std::uint64_t word : words_) sum += static_cast<std::uint32_t>(std::popcount(word));
  return sum;
}

std::vector<std::uint32_t> CpuSet::list() const {
  std::vector<std::uint32_t> cpus;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    for (std::uint64_t left = words_[i]; left != 0; left &= left - 1) {
      cpus.push_back(static_cast<std::uint32_t>(i * kBits) +
                     static_cast<std::uint32_t>(std::countr_zero(left)));
    }
  }
  return cpus;
}

bool CpuSet::meets(const CpuSet& other) const {
  const std::size_t common = std::min(words_.size(), other.words_.size());
  for (std::size_t i = 0; i < common; ++i) {
    if ((words_[i] & other.words_[i]) != 0) return true;
  }
  return false;
}

bool CpuSet::within(const CpuSet& other) const {
  if (words_.size() > other.words_.size()) return false;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if ((words_[i] & ~other.words_[i]) != 0) return false;
  }
  return true;
}

CpuSet& CpuSet::operator|=(const CpuSet& other) {
  if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
  for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  return *this;
}

CpuSet& CpuSet::operator&=(const CpuSet& other) {
  words_.resize(std::min(words_.size(), other.words_.size()));
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  trim();
  return *this;
}

CpuSet& CpuSet::operator-=(const CpuSet& other) {
  const std::size_t common = std::min(words_.size(), other.words_.size());
  for (std::size_t i = 0; i < common; ++i) words_[i] &= ~other.words_[i];
  trim();
  return *this;
}

void CpuSet::trim() {
  while (!words_.empty() && words_.back() == 0) words_.pop_back();
}

std::string to_string(const CpuSet& set) {
  const std::vector<std::uint32_t> cpus = set.list();
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (end - i > 1) text += fmt::format("-{}", cpus[end - 1]);
    i = end;
  }
  return text;
}

base::Result<std::vector<std::uint32_t>> parse_cpu_list(std::string_view text) {
  std::vector<std::uint32_t> cpus;
  CpuSet seen;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const auto range = parse_range(rest.substr(0, comma), text);
    if (!range) return tl::unexpected(range.error());
    for (std::uint32_t cpu = range->first; cpu <= range->last; ++cpu) {
      if (!seen.has(cpu)) cpus.push_back(cpu);
      seen.add(cpu);
    }
    if (comma == std::string_view::npos) return cpus;
    rest.remove_prefix(comma + 1);
  }
}

base::Result<CpuSet> parse_cpu_set(std::string_view text) {
  const auto cpus = parse_cpu_list(text);
  if (!cpus) return tl::unexpected(cpus.error());
  CpuSet set;
  for (const std::uint32_t cpu : *cpus) set.add(cpu);
  return set;
}

}  // namespace muster::model
