// Reads --map-by, --rank-by, --bind-to and lists of cpus.
#include "front/mapping_words.hpp"

#include <algorithm>
#include <array>

#include "base/nearest.hpp"
#include "base/words.hpp"
#include "front/levels.hpp"
#include "model/job_spec.hpp"
#include "spec/host_word.hpp"
#include "spec/hosts.hpp"
#include "spec/in_quotes.hpp"
#include "spec/number.hpp"
#include "spec/rankfile.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using model::BindTo;
using model::MapBy;
using model::Mapping;
using model::RankBy;
using spec::in_quotes;

constexpr std::uint32_t kWidthMax = model::kCpusMax;

// "did you mean core?", of a level of hardware or one of these words, with blanks between; empty:
// none is near.
std::string near_word(std::string_view typed, std::string_view words) {
  std::vector<std::string> known = base::split(words, " ");
  for (const char* level :
       {"hwthread", "core", "l1cache", "l2cache", "l3cache", "numa", "socket", "package"}) {
    known.emplace_back(level);
  }
  const std::string word = base::lower(typed.substr(0, typed.find(':')));
  return base::did_you_mean(word, known);
}

// ---- --map-by -----------------------------------------------------------------------------------

constexpr std::string_view kPolicies =
    "slot, node, seq, hwthread, core, l1cache, l2cache, l3cache, numa, socket, package, "
    "dist:DEVICE, ppr:N:WHAT, pe-list=LIST or rankfile:file=PATH";

class MapByReader {
 public:
  MapByReader(const Typed& typed, Mapping& mapping) : typed_(typed), mapping_(mapping) {}

  Result<MapByWords> read() {
    const std::string_view text = typed_.value;
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string policy = base::lower(text.substr(0, colon));
    std::string_view rest = text.substr(std::min(colon + 1, text.size()));
    if (text.empty()) return unknown_policy();
    auto done = policy.empty() ? Result<void>() : read_policy(policy, rest);
    if (!done) return tl::unexpected(done.error());
    for (const std::string& modifier : base::split(rest, ",:")) {
      if (auto fine = read_modifier(modifier); !fine) return tl::unexpected(fine.error());
    }
    if (mapping_.map_by == MapBy::rankfile && words_.rankfile.empty() && !policy.empty()) {
      return fail(Fault::usage, "for example --map-by rankfile:file=ranks",
                  "{} rankfile needs :file=PATH", typed_.option);
    }
    return words_;
  }

 private:
  Result<void> read_policy(const std::string& policy, std::string_view& rest) {
    mapping_.map_given = true;
    if (policy.starts_with("pe-list=")) return read_pe_list(policy.substr(8), rest);
    constexpr std::pair<std::string_view, MapBy> plain[] = {
        {"slot", MapBy::slot}, {"node", MapBy::node}, {"seq", MapBy::seq}};
    for (const auto& [name, map_by] : plain) {
      if (!name.starts_with(policy)) continue;
      mapping_.map_by = map_by;
      return {};
    }
    if (std::string_view("ppr").starts_with(policy)) return read_ppr(rest);
    if (const auto level = level_by_prefix(policy)) {
      mapping_.map_by = MapBy::object;
      mapping_.level = *level;
      return {};
    }
    if (std::string_view("rankfile").starts_with(policy)) {
      mapping_.map_by = MapBy::rankfile;
      return {};
    }
    if (std::string_view("dist").starts_with(policy)) {
      read_distance(rest);
      return {};
    }
    return tl::unexpected(unknown_policy().value());
  }

  tl::unexpected<base::Error> unknown_policy() const {
    return fail(Fault::usage, near_word(typed_.value, "slot node seq dist ppr pe-list rankfile"),
                "{} must be {}, not {}", typed_.option, kPolicies, in_quotes(typed_.value));
  }

  // "N:WHAT", with modifiers after it.
  Result<void> read_ppr(std::string_view& rest) {
    const std::size_t first = std::min(rest.find(':'), rest.size());
    const std::string_view after = rest.substr(std::min(first + 1, rest.size()));
    const std::size_t second = std::min(after.find_first_of(":,"), after.size());
    const auto count =
        spec::read_number(fmt::format("{} ppr:N", typed_.option), rest.substr(0, first),
                          {1, model::kRanksMax}, Fault::usage);
    if (!count) return tl::unexpected(count.error());
    const std::string object = base::lower(after.substr(0, second));
    auto level = level_by_prefix(object);
    if (!object.empty() && std::string_view("node").starts_with(object))
      level = model::Level::machine;
    if (object.empty() || !level) {
      const std::string near = near_word(object, "node");
      return fail(Fault::usage, near.empty() ? "for example ppr:2:node" : near,
                  "{} ppr:N:WHAT needs node, package, numa, core or another object, not {}",
                  typed_.option, in_quotes(object));
    }
    mapping_.map_by = MapBy::ppr;
    mapping_.level = *level;
    mapping_.per_object = *count;
    rest = after.substr(std::min(second + 1, after.size()));
    return {};
  }

  // "DEVICE", or "DEVICE:1" with its port, which does not matter, with modifiers after it.
  void read_distance(std::string_view& rest) {
    mapping_.map_by = MapBy::distance;
    mapping_.level = model::Level::numa;
    const auto piece = [&] { return rest.substr(0, rest.find_first_of(":,")); };
    const auto drop = [&](std::string_view read) {
      rest.remove_prefix(std::min(read.size() + 1, rest.size()));
    };
    const std::string_view device = piece();
    if (device.empty() || is_modifier(base::lower(device))) return;
    mapping_.device = std::string(device);
    drop(device);
    const std::string_view port = piece();
    const bool is_port =
        !port.empty() && port.find_first_not_of("0123456789") == std::string_view::npos;
    if (is_port) drop(port);
  }

  static bool is_modifier(std::string_view word) {
    constexpr std::string_view kModifiers[] = {"span",    "oversubscribe", "nooversubscribe",
                                               "nolocal", "hwtcpus",       "corecpus",
                                               "ordered", "inherit",       "noinherit"};
    const auto begins = [&](std::string_view full) { return full.starts_with(word); };
    return word.find('=') != std::string_view::npos || std::ranges::any_of(kModifiers, begins);
  }

  // "0,2,4-7:ordered": commas belong to the list here.
  Result<void> read_pe_list(std::string_view list, std::string_view) {
    auto cpus = model::parse_cpu_list(list);
    if (!cpus) {
      return fail(Fault::usage, "for example pe-list=0,2,4-7", "{}: {}", typed_.option,
                  cpus.error().what);
    }
    mapping_.map_by = MapBy::pe_list;
    mapping_.cpu_list = std::move(*cpus);
    return {};
  }

  Result<void> read_modifier(const std::string& written) {
    const std::size_t equals = std::min(written.find('='), written.size());
    const std::string name = base::lower(std::string_view(written).substr(0, equals));
    const bool has_value = equals < written.size();
    const std::string value = has_value ? written.substr(equals + 1) : "";
    if (name == "pe" || name == "file") {
      if (!has_value || value.empty()) {
        return fail(Fault::usage, "", "{}: {} needs a value, as in {}={}", typed_.option, written,
                    written, name == "pe" ? "2" : "PATH");
      }
      return name == "pe" ? read_width(value) : read_file(value);
    }
    if (!has_value && apply_word(name)) return {};
    return fail(Fault::usage,
                "modifiers are PE=N, SPAN, OVERSUBSCRIBE, NOOVERSUBSCRIBE, NOLOCAL, HWTCPUS, "
                "CORECPUS, ORDERED, FILE=PATH",
                "{} has an unknown modifier {}", typed_.option, in_quotes(written));
  }

  Result<void> read_width(const std::string& value) {
    const auto width =
        spec::read_number(fmt::format("{} PE", typed_.option), value, {1, kWidthMax}, Fault::usage);
    if (!width) return tl::unexpected(width.error());
    mapping_.cpus_per_rank = *width;
    return {};
  }

  Result<void> read_file(const std::string& value) {
    words_.rankfile = value;
    return {};
  }

  // Modifiers without a value, by prefix.
  bool apply_word(std::string_view name) {
    const auto is = [&](std::string_view full) { return full.starts_with(name); };
    if (is("span")) {
      mapping_.span = true;
    } else if (is("oversubscribe")) {
      words_.oversubscribe = true;
    } else if (is("nooversubscribe")) {
      words_.oversubscribe = false;
    } else if (is("nolocal")) {
      mapping_.no_local = true;
    } else if (is("hwtcpus")) {
      mapping_.hwthread_cpus = true;
    } else if (is("corecpus")) {
      mapping_.hwthread_cpus = false;
    } else if (is("ordered")) {
      mapping_.bind_ordered = true;
    } else {
      return is("inherit") || is("noinherit");  // for programs that start programs
    }
    return true;
  }

  const Typed& typed_;
  Mapping& mapping_;
  MapByWords words_;
};

Result<std::vector<std::uint32_t>> read_cpus(const Typed& typed) {
  auto list = model::parse_cpu_list(typed.value);
  if (list) return list;
  return fail(Fault::usage, "", "{} must be cpu numbers such as 0,2,4-7: {}", typed.option,
              list.error().what);
}

Result<void> read_qualifiers(const Typed& typed, std::string_view text, Mapping& mapping) {
  for (const std::string& written : base::split(text, ",:")) {
    const std::string word = base::lower(written);
    const auto is = [&](std::string_view full) { return full.starts_with(word); };
    if (is("if-supported")) {
      mapping.bind_if_supported = true;
    } else if (is("overload-allowed") || is("oversubscribe-allowed")) {
      mapping.bind_overload = true;
    } else if (is("ordered")) {
      mapping.bind_ordered = true;
    } else if (!is("no-overload")) {
      return fail(Fault::usage, "", "{} allows if-supported, overload-allowed and ordered, not {}",
                  typed.option, in_quotes(written));
    }
  }
  return {};
}

// A host by number, +n0, is one of a list that is not there.
Result<void> take_hosts_of_rankfile(const std::string& path, model::JobSpec& spec) {
  for (const model::RankfileEntry& entry : spec.mapping.rankfile) {
    if (entry.host.starts_with('+')) continue;
    const auto known = std::ranges::find(spec.hosts, entry.host, &model::HostEntry::name);
    if (known != spec.hosts.end()) {
      ++*known->slots;
      continue;
    }
    auto word = spec::read_host_word(entry.host, Fault::bad_file);
    if (!word) {
      word.error().place = entry.place;
      return tl::unexpected(word.error());
    }
    model::HostEntry& host = spec.hosts.emplace_back();
    host.name = entry.host;
    host.slots = 1;
    host.place = entry.place;
  }
  if (spec.hosts.empty()) return {};
  spec.source = model::kHostsInFile;
  spec.source_name = path;
  return {};
}

}  // namespace

Result<MapByWords> read_map_by_words(const Typed& typed, Mapping& mapping) {
  return MapByReader(typed, mapping).read();
}

Result<void> read_rank_by_words(const Typed& typed, Mapping& mapping) {
  const std::size_t colon = std::min(typed.value.find(':'), typed.value.size());
  const std::string policy = base::lower(typed.value.substr(0, colon));
  const std::string modifier =
      base::lower(typed.value.substr(std::min(colon + 1, typed.value.size())));
  const auto is = [&](std::string_view full) {
    return !policy.empty() && full.starts_with(policy);
  };
  const bool spans = !modifier.empty() && std::string_view("span").starts_with(modifier);
  const bool fills = !modifier.empty() && std::string_view("fill").starts_with(modifier);
  if (!modifier.empty() && !spans && !fills) {
    return fail(Fault::usage, "", "{} allows :SPAN and :FILL, not {}", typed.option,
                in_quotes(modifier));
  }
  mapping.rank_given = true;
  mapping.rank_level = mapping.level;
  if (is("slot")) {
    mapping.rank_by = RankBy::slot;
  } else if (is("node")) {
    mapping.rank_by = RankBy::node;
  } else if (policy == "fill" || policy == "span") {
    mapping.rank_by = policy == "fill" ? RankBy::fill : RankBy::span;
  } else if (const auto level = level_by_prefix(policy); level && !policy.empty()) {
    mapping.rank_by = spans ? RankBy::span : fills ? RankBy::fill : RankBy::object;
    mapping.rank_level = *level;
  } else {
    return fail(Fault::usage, near_word(policy, "slot node fill span"),
                "{} must be slot, node, fill, span, core, numa, package or another object, not {}",
                typed.option, in_quotes(typed.value));
  }
  return {};
}

Result<void> read_bind_to_words(const Typed& typed, Mapping& mapping) {
  const std::size_t colon = std::min(typed.value.find(':'), typed.value.size());
  const std::string target = base::lower(typed.value.substr(0, colon));
  const auto level = level_in_full(target);
  if (target == "none" || target == "default") {
    mapping.bind_to = BindTo::none;
  } else if (target == "cpu-list" || target == "cpulist") {
    mapping.bind_to = BindTo::cpu_list;
  } else if (target == "gpu") {
    mapping.bind_to = BindTo::gpu;
  } else if (level) {
    mapping.bind_to = BindTo::object;
    mapping.bind_level = *level;
  } else if (!target.empty() || colon == typed.value.size()) {
    return fail(Fault::usage, near_word(target, "none cpu-list gpu default"),
                "{} must be none, hwthread, core, l1cache, l2cache, l3cache, numa, socket, "
                "package, cpu-list, gpu or default, not {}",
                typed.option, in_quotes(typed.value));
  }
  if (!target.empty()) {
    mapping.bind_by_default = target == "default";
    mapping.bind_given = !mapping.bind_by_default;
  }
  return read_qualifiers(typed, typed.value.substr(std::min(colon + 1, typed.value.size())),
                         mapping);
}

Result<void> read_cpu_set_words(const Typed& typed, Mapping& mapping) {
  const auto list = read_cpus(typed);
  if (!list) return tl::unexpected(list.error());
  mapping.cpu_set.emplace();
  for (const std::uint32_t cpu : *list) mapping.cpu_set->add(cpu);
  return {};
}

Result<void> read_cpu_list_words(const Typed& typed, Mapping& mapping) {
  auto list = read_cpus(typed);
  if (!list) return tl::unexpected(list.error());
  mapping.cpu_list = std::move(*list);
  if (mapping.bind_given) return {};
  mapping.bind_to = BindTo::cpu_list;
  mapping.bind_given = true;
  return {};
}

Result<void> read_rankfile_of(const Call& call, const std::string& path, model::JobSpec& spec) {
  if (path.empty()) return {};
  const auto text = call.read_file(path, spec::kHostTextMax);
  if (!text) return tl::unexpected(text.error());
  auto entries = spec::read_rankfile(*text, path);
  if (!entries) return tl::unexpected(entries.error());
  Mapping& mapping = spec.mapping;
  mapping.map_by = MapBy::rankfile;
  mapping.map_given = true;
  mapping.rankfile = std::move(*entries);
  const bool names_hosts = spec.hosts.empty() && !spec.source.has_list && spec.fake_nodes == 0;
  return names_hosts ? take_hosts_of_rankfile(path, spec) : Result<void>();
}

}  // namespace muster::front
