// Words the errors of place() and the command line that would have worked.
#include "plan/remedy.hpp"

#include <algorithm>
#include <string_view>

#include "base/shell_word.hpp"

namespace muster::plan {
namespace {

using model::Inventory;
using model::JobSpec;

// Longer host lists and commands are cut: a hint is one line.
constexpr std::size_t kWordsMax = 160;

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// In one line.
std::string typed_word(std::string word) {
  std::ranges::replace(word, '\n', ' ');
  return base::shell_word(word);
}

std::string program(const model::App& app) {
  std::string text;
  for (const std::string& word : app.command) {
    if (text.size() > kWordsMax) return text + " ...";
    text += ' ';
    text += typed_word(word);
  }
  return text;
}

std::string entry_text(const model::HostEntry& entry) {
  std::string text = entry.user.empty() ? "" : entry.user + "@";
  const bool is_v6 = entry.name.find(':') != std::string::npos;
  text += is_v6 ? "[" + entry.name + "]" : entry.name;
  if (entry.slots) text += fmt::format(":{}", *entry.slots);
  return text;
}

std::string host_words(const JobSpec& spec) {
  if (spec.fake_nodes > 0) return fmt::format(" --fake-nodes {}", spec.fake_nodes);
  if (spec.source.is_file) {
    const bool is_variable = spec.source_name.starts_with('$');
    return " --hostfile " + (is_variable ? spec.source_name : typed_word(spec.source_name));
  }
  const bool is_unasked = spec.source.has_list && spec.source.option.empty();
  if (spec.hosts.empty() || is_unasked) return {};
  std::string list;
  for (const model::HostEntry& entry : spec.hosts) {
    if (list.size() > kWordsMax) return " -H ...";
    if (!list.empty()) list += ',';
    list += entry_text(entry);
  }
  return " -H " + typed_word(list);
}

std::string map_words(const model::Mapping& mapping) {
  const std::string_view level = mapping.level == model::Level::package ? "socket"
                                 : mapping.level == model::Level::machine
                                     ? "node"
                                     : model::name_of(mapping.level);
  if (mapping.map_by == model::MapBy::node) return " --map-by node";
  if (mapping.map_by == model::MapBy::object) return fmt::format(" --map-by {}", level);
  if (mapping.map_by != model::MapBy::ppr) return {};
  return fmt::format(" --map-by ppr:{}:{}", mapping.per_object, level);
}

// The job as a command line of the front end that it came through.
std::string command(const JobSpec& spec) {
  const bool as_open_mpi = spec.slot_rule == model::SlotRule::open_mpi;
  std::string text = as_open_mpi ? "muster mpirun" : "muster run";
  const model::App& app = spec.apps.front();
  if (app.ranks) text += fmt::format(" {} {}", as_open_mpi ? "-np" : "-n", *app.ranks);
  if (spec.per_node) text += fmt::format(" --per-node {}", *spec.per_node);
  text += map_words(spec.mapping);
  if (spec.oversubscribe) text += " --oversubscribe";
  return text + host_words(spec) + program(app);
}

std::string command_with_ranks(JobSpec spec, std::uint64_t ranks) {
  spec.apps.front().ranks =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(ranks, model::kRanksMax));
  return command(spec);
}

// The hosts were written on several lines: the first says which file, and where in it they start.
base::Place place_of(const Inventory& inventory) {
  base::Place place = inventory.hosts.front().place;
  place.column = 0;
  if (place.source.empty()) place.source = inventory.source_name;
  return place;
}

std::string why_capped(const JobSpec& spec, const Inventory& inventory) {
  const bool has_max = std::any_of(inventory.hosts.begin(), inventory.hosts.end(),
                                   [](const model::Host& host) { return bool{host.max_slots}; });
  const std::string hosts = counted(inventory.hosts.size(), "host");
  if (spec.mapping.map_by == model::MapBy::ppr) {
    return fmt::format("{} for each {} of {}", spec.mapping.per_object,
                       model::name_of(spec.mapping.level), hosts);
  }
  if (spec.mapping.map_by == model::MapBy::pe_list) return "the cpu list on " + hosts;
  if (!spec.per_node) return fmt::format("max_slots of {}", hosts);
  return fmt::format("--per-node {}{} of {}", *spec.per_node, has_max ? " and max_slots" : "",
                     hosts);
}

std::string more_slots(const JobSpec& spec, const Total& total) {
  if (spec.roles != model::Roles::none) {  // has no -n
    return "give the hosts more slots (HOST:N); to share cores: --oversubscribe, or oversubscribe: "
           "true in muster.yml";
  }
  JobSpec crowded = spec;
  crowded.oversubscribe = true;
  return fmt::format("-n {} fits; to share cores: {}", total.slots, command(crowded));
}

}  // namespace

tl::unexpected<base::Error> bad_count(std::uint64_t ranks) {
  if (ranks == 0) return base::fail(base::Fault::usage, {}, "-n must be 1 or more, not 0");
  return base::fail(base::Fault::usage, fmt::format("use -n {} or less", model::kRanksMax),
                    "{} ranks are more than the {} that a job can have", ranks, model::kRanksMax);
}

tl::unexpected<base::Error> above_slots(const JobSpec& spec, const Inventory& inventory,
                                        std::uint64_t ranks, const Total& total) {
  return base::fail_at(place_of(inventory), base::Fault::no_slots, more_slots(spec, total),
                       "{} wanted, but {} {} {}{}", counted(ranks, "rank"),
                       counted(inventory.hosts.size(), "host"),
                       inventory.hosts.size() == 1 ? "has" : "have", counted(total.slots, "slot"),
                       spec.per_node ? fmt::format(" within --per-node {}", *spec.per_node) : "");
}

tl::unexpected<base::Error> too_few_on(const JobSpec& spec, const model::Host& host) {
  JobSpec crowded = spec;
  crowded.oversubscribe = true;
  return base::fail_at(
      host.place, base::Fault::no_slots,
      fmt::format("give {} more slots, or share cores: {}", host.name, command(crowded)),
      "{} for each {} is more than the {} of {}", spec.mapping.per_object,
      model::name_of(spec.mapping.level), counted(host.slots, "slot"), host.name);
}

tl::unexpected<base::Error> above_cap(const JobSpec& spec, const Inventory& inventory,
                                      std::uint64_t ranks, const Total& total) {
  const bool shares = spec.oversubscribe || !inventory.source.has_list;
  const std::uint64_t fits = shares ? total.cap : total.slots;
  return base::fail_at(place_of(inventory), base::Fault::no_slots,
                       "this fits: " + command_with_ranks(spec, fits),
                       "{} wanted, but there is room for {} ({})", counted(ranks, "rank"),
                       total.cap, why_capped(spec, inventory));
}

}  // namespace muster::plan
