// Words the errors of place(), and what to change in the command line: the rest of it stays.
#include "plan/remedy.hpp"

#include <algorithm>
#include <string_view>

namespace muster::plan {
namespace {

using model::Inventory;
using model::JobSpec;

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// Of the front ends that count slots: mpirun, and muster run.
std::string_view count_option(const JobSpec& spec) {
  return spec.slot_rule == model::SlotRule::open_mpi ? "-np" : "-n";
}

constexpr std::string_view kShareCores = "add --oversubscribe to share cores";

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
  if (spec.of_job_file) {
    return "give the hosts more slots (HOST:N); to share cores: oversubscribe: true in muster.yml";
  }
  if (spec.roles != model::Roles::none) {  // has no -n
    return fmt::format("give the hosts more slots (HOST:N), or {}", kShareCores);
  }
  return fmt::format("use {} {}, or {}", count_option(spec), total.slots, kShareCores);
}

}  // namespace

tl::unexpected<base::Error> bad_count(std::uint64_t ranks) {
  if (ranks == 0) {
    return base::fail(base::Fault::usage, {}, "a job has from 1 to {} ranks, not 0",
                      model::kRanksMax);
  }
  return base::fail(base::Fault::usage, fmt::format("ask for {} or less", model::kRanksMax),
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
  return base::fail_at(host.place, base::Fault::no_slots,
                       fmt::format("give {} more slots, or {}", host.name, kShareCores),
                       "{} for each {} is more than the {} of {}", spec.mapping.per_object,
                       model::name_of(spec.mapping.level), counted(host.slots, "slot"), host.name);
}

tl::unexpected<base::Error> above_cap(const JobSpec& spec, const Inventory& inventory,
                                      std::uint64_t ranks, const Total& total) {
  const bool shares = spec.oversubscribe || !inventory.source.has_list;
  const std::uint64_t fits = shares ? total.cap : total.slots;
  // Counts of roles, and those in job files, have names of their own.
  const std::string hint = spec.of_job_file || spec.roles != model::Roles::none
                               ? fmt::format("ask for {} or less", fits)
                               : fmt::format("use {} {}", count_option(spec), fits);
  return base::fail_at(place_of(inventory), base::Fault::no_slots, hint,
                       "{} wanted, but there is room for {} ({})", counted(ranks, "rank"),
                       total.cap, why_capped(spec, inventory));
}

}  // namespace muster::plan
