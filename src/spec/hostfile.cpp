// Reads hostfiles: Open MPI's `host slots=N` lines and Hydra's `host:N` lines.
#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "base/nearest.hpp"
#include "spec/host_word.hpp"
#include "spec/hostfile_words.hpp"
#include "spec/hosts.hpp"
#include "spec/in_quotes.hpp"
#include "spec/number.hpp"

namespace muster::spec {
namespace {

using base::fail_at;
using base::Result;
using model::HostEntry;

constexpr base::Fault kHostfileFault = base::Fault::bad_file;
constexpr const char* kHostLine = "write one host a line, for example: node1 slots=8";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

enum class Key { slots, max_slots, user, port };

// Open MPI's spellings, and Hydra's `user`.
constexpr std::array<std::pair<std::string_view, Key>, 20> kKeys = {{
    {"slots", Key::slots},         {"max_slots", Key::max_slots}, {"max-slots", Key::max_slots},
    {"slots_max", Key::max_slots}, {"slots-max", Key::max_slots}, {"port", Key::port},
    {"user", Key::user},           {"username", Key::user},       {"user-name", Key::user},
    {"user_name", Key::user},      {"count", Key::slots},         {"cpu", Key::slots},
    {"count_max", Key::max_slots}, {"count-max", Key::max_slots}, {"max_count", Key::max_slots},
    {"max-count", Key::max_slots}, {"cpu_max", Key::max_slots},   {"cpu-max", Key::max_slots},
    {"max_cpu", Key::max_slots},   {"max-cpu", Key::max_slots},
}};

std::optional<Key> find_key(std::string_view name) {
  const auto* found =
      std::find_if(kKeys.begin(), kKeys.end(), [&](const auto& key) { return key.first == name; });
  return found == kKeys.end() ? std::nullopt : std::optional(found->second);
}

std::string key_hint(std::string_view typed) {
  std::vector<std::string> known;
  known.reserve(kKeys.size());
  for (const auto& key : kKeys) known.emplace_back(key.first);
  const auto near = base::nearest(typed, known);
  return near ? "did you mean " + *near + "=?" : "known keys: slots, max_slots, username, port";
}

base::Error placed(base::Error error, const base::Place& place) {
  error.place = place;
  return error;
}

// `key = value` with the places of both.
struct Setting {
  HostfileWord key;
  HostfileWord value;
};

tl::unexpected<base::Error> twice(const Setting& setting, const char* what) {
  return fail_at(setting.key.place, kHostfileFault, "keep one of them",
                 "{} is given twice on this line", what);
}

Result<std::uint32_t> read_value(const Setting& setting, Bounds bounds) {
  return read_number(setting.key.text, setting.value.text, bounds, kHostfileFault)
      .map_error([&](base::Error e) {
        e.hint = fmt::format("for example: {}=8", setting.key.text);
        return placed(std::move(e), setting.value.place);
      });
}

Result<void> set_count(std::optional<std::uint32_t>& count, const Setting& setting,
                       std::uint32_t least, const char* what) {
  if (count) return twice(setting, what);
  return read_value(setting, {least, model::kRanksMax}).map([&](std::uint32_t number) {
    count = number;
  });
}

Result<void> set_port(HostEntry& entry, const Setting& setting) {
  if (entry.port != 0) return twice(setting, "the port");
  return read_value(setting, {1, 65535}).map([&](std::uint32_t number) { entry.port = number; });
}

Result<void> set_user(HostEntry& entry, const Setting& setting) {
  if (!entry.user.empty()) return twice(setting, "the user");
  return read_user(setting.value.text, kHostfileFault)
      .map([&](std::string user) { entry.user = std::move(user); })
      .map_error([&](base::Error e) { return placed(std::move(e), setting.value.place); });
}

Result<void> apply(HostEntry& entry, const Setting& setting) {
  const auto key = find_key(setting.key.text);
  if (!key) {
    return fail_at(setting.key.place, kHostfileFault, key_hint(setting.key.text), "unknown key {}",
                   in_quotes(setting.key.text));
  }
  switch (*key) {
    case Key::slots:
      return set_count(entry.slots, setting, 0, "the slot count");
    case Key::max_slots:
      return set_count(entry.max_slots, setting, 1, "the largest slot count");
    case Key::user:
      return set_user(entry, setting);
    case Key::port:
      return set_port(entry, setting);
  }
  return {};
}

Result<void> check_word(std::span<const HostfileWord> words) {
  if (words.size() >= 2 && words[1].text == "=") return {};
  const std::string hint = find_key(words[0].text) ? fmt::format("write {}=N", words[0].text)
                                                   : "each host has its own line: node1 slots=8";
  return fail_at(words[0].place, kHostfileFault, hint, "expected key=value after the host, not {}",
                 in_quotes(words[0].text));
}

// Hosts of one line are alike but for their names.
Result<std::vector<HostEntry>> read_hosts(std::span<const HostfileWord> words) {
  const HostfileWord& first = words.front();
  if (first.text == "=" || (words.size() > 1 && words[1].text == "=")) {
    return fail_at(first.place, kHostfileFault, kHostLine,
                   "the line does not start with a host name");
  }
  return read_host_words(first.text, kHostfileFault)
      .map([&](const std::vector<HostWord>& hosts) {
        std::vector<HostEntry> entries;
        entries.reserve(hosts.size());
        for (const HostWord& host : hosts) entries.push_back(entry_of(host, first.place));
        return entries;
      })
      .map_error([&](base::Error error) { return placed(std::move(error), first.place); });
}

Result<void> settle_slots(HostEntry& entry) {
  if (!entry.max_slots) return {};
  if (entry.slots.value_or(0) > *entry.max_slots) {
    return fail_at(entry.place, kHostfileFault, "raise max_slots or lower slots",
                   "max_slots of {} is below slots of {}", *entry.max_slots, *entry.slots);
  }
  if (!entry.slots) entry.slots = entry.max_slots;
  return {};
}

Result<std::vector<HostEntry>> read_line(std::span<const HostfileWord> words) {
  auto hosts = read_hosts(words);
  if (!hosts) return hosts;
  HostEntry said = hosts->front();
  for (auto rest = words.subspan(1); !rest.empty(); rest = rest.subspan(3)) {
    if (auto fine = check_word(rest); !fine) return tl::unexpected(fine.error());
    if (rest.size() < 3 || rest[2].text == "=") {
      return fail_at(rest[0].place, kHostfileFault, fmt::format("write {}=N", rest[0].text),
                     "{} has no value", in_quotes(rest[0].text));
    }
    if (auto fine = apply(said, {rest[0], rest[2]}); !fine) return tl::unexpected(fine.error());
  }
  if (auto fine = settle_slots(said); !fine) return tl::unexpected(fine.error());
  for (HostEntry& host : *hosts) {
    said.name = host.name;
    host = said;
  }
  return hosts;
}

bool is_control(char c) {
  const bool layout = c == '\n' || c == '\r' || c == '\t' || c == '\f';
  return (c >= 0 && c < ' ' && !layout) || c == '\x7f';
}

base::Place place_at(std::string_view text, std::size_t offset, const std::string& name) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto lines = std::count(before.begin(), before.end(), '\n');
  return {name, static_cast<std::uint32_t>(lines + 1),
          static_cast<std::uint32_t>(offset - start + 1)};
}

Result<void> check_text(std::string_view text, const std::string& name) {
  if (text.size() > kHostTextMax) {
    return fail_at({name, 0, 0}, kHostfileFault, "is this the right file?",
                   "the file is larger than {} MiB", kHostTextMax >> 20);
  }
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return fail_at({name, 1, 1}, kHostfileFault, "save it as UTF-8", "the file is UTF-16");
  }
  const auto* odd = std::find_if(text.begin(), text.end(), is_control);
  if (odd == text.end()) return {};
  return fail_at(place_at(text, static_cast<std::size_t>(odd - text.begin()), name), kHostfileFault,
                 "is this the right file? a hostfile is plain text", "byte 0x{:02x} is not text",
                 static_cast<unsigned char>(*odd));
}

}  // namespace

Result<std::vector<HostEntry>> read_hostfile(std::string_view text, const std::string& name) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (auto fine = check_text(text, name); !fine) return tl::unexpected(fine.error());
  std::vector<HostEntry> hosts;
  base::Errors errors;
  for (HostfileWords lines(text, name); !lines.done();) {
    auto words = lines.next_line();
    if (!words) return tl::unexpected(words.error());
    if (words->empty()) continue;
    auto some = read_line(*words);
    if (!some) {
      errors.add(std::move(some.error()));
      continue;
    }
    std::ranges::move(*some, std::back_inserter(hosts));
    if (hosts.size() > kHostsMax) {
      return fail_at(hosts.back().place, kHostfileFault, "", "more than {} hosts", kHostsMax);
    }
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors).together());
  if (hosts.empty()) {
    return fail_at({name, 0, 0}, kHostfileFault, kHostLine, "the file names no host");
  }
  return without_idle(std::move(hosts), kHostfileFault);
}

}  // namespace muster::spec
