// Reads -H: hosts with commas between them.
#include <algorithm>
#include <iterator>

#include "model/job_spec.hpp"
#include "spec/host_word.hpp"
#include "spec/hosts.hpp"
#include "spec/in_quotes.hpp"

namespace muster::spec {
namespace {

constexpr base::Fault kListFault = base::Fault::usage;

base::Place place() { return {"-H", 0, 0}; }

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Those that name what they are about, in quotes, are told together where they say the same.
base::Error about_entry(base::Error error, std::string_view entry) {
  if (!error.what.starts_with('\'')) {
    error.what = fmt::format("{}: {}", in_quotes(entry), error.what);
  }
  error.place = place();
  return error;
}

base::Result<std::vector<model::HostEntry>> read_entry(std::string_view entry, std::size_t number) {
  if (entry.empty()) {
    return base::fail_at(place(), kListFault, "for example node1:8,node2:8", "entry {} is empty",
                         number);
  }
  return read_host_words(entry, kListFault)
      .map([](const std::vector<HostWord>& words) {
        std::vector<model::HostEntry> hosts;
        hosts.reserve(words.size());
        for (const HostWord& host : words) hosts.push_back(entry_of(host, place()));
        return hosts;
      })
      .map_error([&](base::Error error) { return about_entry(std::move(error), entry); });
}

}  // namespace

base::Result<std::vector<model::HostEntry>> read_host_list(std::string_view text,
                                                           EmptyEntry empty_entry) {
  if (text.size() > kHostTextMax) {
    return base::fail_at(place(), kListFault, "use --hostfile", "the list is longer than {} MiB",
                         kHostTextMax >> 20);
  }
  std::vector<model::HostEntry> hosts;
  std::string_view list = trimmed(text);
  if (list.size() > 1 && list.ends_with(',')) list.remove_suffix(1);
  const bool has_hosts = list.find_first_not_of(", \t") != std::string_view::npos;
  const bool may_be_empty = has_hosts && empty_entry == EmptyEntry::nothing;
  std::size_t number = 0;
  base::Errors errors;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = end_of_host(list, at);
    const std::string_view word = trimmed(list.substr(at, comma - at));
    at = comma + 1;
    ++number;
    if (word.empty() && may_be_empty) continue;
    auto entry = read_entry(word, number);
    if (!entry) {
      errors.add(std::move(entry.error()));
    } else {
      std::ranges::move(*entry, std::back_inserter(hosts));
    }
    if (hosts.size() > kHostsMax) {
      return base::fail_at(place(), kListFault, "", "more than {} hosts", kHostsMax);
    }
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors).together());
  return without_idle(std::move(hosts), kListFault);
}

}  // namespace muster::spec
