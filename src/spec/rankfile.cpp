// Reads rankfiles line by line.
#include "spec/rankfile.hpp"

#include <algorithm>
#include <set>
#include <span>

#include "spec/hostfile_words.hpp"
#include "spec/hosts.hpp"
#include "spec/in_quotes.hpp"
#include "spec/number.hpp"

namespace muster::spec {
namespace {

using base::fail_at;
using base::Fault;
using base::Result;
using model::RankfileEntry;

constexpr Fault kRankfileFault = Fault::bad_file;
constexpr const char* kRankLine = "for example: rank 0=node1 slot=0:0-3";
constexpr Bounds kCpuBounds = {0, model::kCpusMax - 1};

tl::unexpected<base::Error> fail_placed(base::Error error, const base::Place& place) {
  error.place = place;
  if (error.hint.empty()) error.hint = kRankLine;
  return tl::unexpected(std::move(error));
}

struct Range {
  std::uint32_t first = 0;
  std::optional<std::uint32_t> last;  // empty: to the end
};

// "3", "0-2", "*".
Result<Range> read_range(std::string_view text, const base::Place& place) {
  if (text == "*") return Range{0, std::nullopt};
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto first = read_number("slot", text.substr(0, dash), kCpuBounds, kRankfileFault);
  if (!first) return fail_placed(first.error(), place);
  if (dash == text.size()) return Range{*first, *first};
  const auto last = read_number("slot", text.substr(dash + 1), kCpuBounds, kRankfileFault);
  if (!last) return fail_placed(last.error(), place);
  if (*last < *first) {
    return fail_at(place, kRankfileFault, kRankLine, "slot range {} runs backwards",
                   in_quotes(text));
  }
  return Range{*first, *last};
}

Result<void> add_cpus(RankfileEntry& entry, std::string_view text, const base::Place& place) {
  const auto range = read_range(text, place);
  if (!range) return tl::unexpected(range.error());
  if (!range->last) {
    return fail_at(place, kRankfileFault, kRankLine, "slot=* names no cpu; write SOCKET:*");
  }
  for (std::uint32_t cpu = range->first; cpu <= *range->last; ++cpu) entry.cpus.push_back(cpu);
  return {};
}

// The socket before a ':'; nothing for "*".
Result<std::optional<std::uint32_t>> read_socket(std::string_view text, const base::Place& place) {
  if (text == "*") return std::optional<std::uint32_t>();
  const auto number = read_number("socket", text, kCpuBounds, kRankfileFault);
  if (!number) return fail_placed(number.error(), place);
  return std::optional<std::uint32_t>(*number);
}

// "1:0-2", or "0-2" after an earlier "1:".
Result<void> add_part(RankfileEntry& entry, std::string_view text, const base::Place& place) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos && entry.cores.empty()) return add_cpus(entry, text, place);
  std::optional<std::uint32_t> socket;
  if (colon != std::string_view::npos) {
    const auto read = read_socket(text.substr(0, colon), place);
    if (!read) return tl::unexpected(read.error());
    socket = *read;
    text.remove_prefix(colon + 1);
  } else {
    socket = entry.cores.back().socket;
  }
  if (!entry.cpus.empty()) {
    return fail_at(place, kRankfileFault, kRankLine, "cpus and cores of sockets in one list");
  }
  const auto range = read_range(text, place);
  if (!range) return tl::unexpected(range.error());
  entry.cores.push_back({socket, range->first, range->last});
  return {};
}

Result<void> read_slots(RankfileEntry& entry, const HostfileWord& word) {
  std::string_view text = word.text;
  if (text.size() > 1 && text.starts_with('"') && text.ends_with('"')) {
    text = text.substr(1, text.size() - 2);
  }
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(",;", at), text.size());
    auto added = add_part(entry, text.substr(at, end - at), word.place);
    if (!added) return added;
    at = end + 1;
  }
  return {};
}

bool is(std::span<const HostfileWord> words, std::size_t at, std::string_view text) {
  return at < words.size() && words[at].text == text;
}

// rank R = HOST slot = LIST, as seven words.
Result<RankfileEntry> read_rank_line(std::span<const HostfileWord> words) {
  const base::Place& start = words.front().place;
  if (!is(words, 0, "rank") || !is(words, 2, "=") || words.size() < 4) {
    return fail_at(start, kRankfileFault, kRankLine, "the line does not start with rank R=HOST");
  }
  const auto rank = read_number("rank", words[1].text, {0, model::kRanksMax - 1}, kRankfileFault);
  if (!rank) return fail_placed(rank.error(), words[1].place);
  RankfileEntry entry;
  entry.rank = base::Rank(*rank);
  entry.host = words[3].text;
  entry.place = start;
  const base::Place& after = words.size() > 4 ? words[4].place : words[3].place;
  const bool slots = is(words, 4, "slot") || is(words, 4, "slots");
  if (!slots || !is(words, 5, "=") || words.size() < 7) {
    return fail_at(after, kRankfileFault, kRankLine, "rank {} has no slot=LIST", *rank);
  }
  if (words.size() > 7) {
    return fail_at(words[7].place, kRankfileFault, kRankLine, "{} after the slots",
                   in_quotes(words[7].text));
  }
  const auto read = read_slots(entry, words[6]);
  if (!read) return tl::unexpected(read.error());
  return entry;
}

}  // namespace

Result<std::vector<RankfileEntry>> read_rankfile(std::string_view text, const std::string& name) {
  if (text.size() > kHostTextMax) {
    return fail_at({name, 0, 0}, kRankfileFault, "is this the right file?",
                   "the file is larger than {} MiB", kHostTextMax >> 20);
  }
  std::vector<RankfileEntry> entries;
  std::set<base::Rank> seen;
  for (HostfileWords lines(text, name); !lines.done();) {
    const auto words = lines.next_line();
    if (!words) return tl::unexpected(words.error());
    if (words->empty()) continue;
    auto entry = read_rank_line(*words);
    if (!entry) return tl::unexpected(entry.error());
    if (!seen.insert(entry->rank).second) {
      return fail_at(entry->place, kRankfileFault, "keep one of them", "rank {} is there twice",
                     entry->rank.value);
    }
    entries.push_back(std::move(*entry));
  }
  if (entries.empty()) {
    return fail_at({name, 0, 0}, kRankfileFault, kRankLine, "the file names no rank");
  }
  return entries;
}

}  // namespace muster::spec
