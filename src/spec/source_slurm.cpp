// allocation_around: the hosts of the Slurm job that muster runs in.
#include <algorithm>
#include <unordered_set>

#include "model/head_above.hpp"
#include "spec/number.hpp"
#include "spec/slurm_devices.hpp"
#include "spec/slurm_words.hpp"
#include "spec/sources.hpp"
#include "spec/step_place.hpp"

namespace muster::spec {
namespace {

using base::Result;
using model::HostEntry;
using Hosts = std::vector<HostEntry>;

constexpr std::uint32_t kComponentsMax = 128;  // Slurm: MAX_HET_JOB_COMPS
constexpr std::uint32_t kCpusMax = 1 << 20;

// A variable with its value.
struct Told {
  std::string name;
  std::string_view value;
};

// What Slurm tells of a job, or of one component of it.
class Job {
 public:
  // `is_on_each`: the tasks of the step around are musters, and have no ranks to be counted by.
  Job(const HostQuery& asked, bool is_on_each, std::optional<std::uint32_t> component)
      : asked_(asked), is_on_each_(is_on_each), component_(component) {}

  [[nodiscard]] std::optional<Told> first(std::initializer_list<const char*> names) const {
    const std::string suffix = component_ ? fmt::format("_HET_GROUP_{}", *component_) : "";
    for (const char* one : names) {
      const std::string name = one + suffix;
      const auto value = asked_.variable(name);
      if (value && !value->empty()) return Told{name, *value};
    }
    return std::nullopt;
  }

  // Nothing: there is none.
  [[nodiscard]] Result<std::optional<Hosts>> hosts() const {
    const auto list = first({"SLURM_JOB_NODELIST", "SLURM_NODELIST"});
    if (!list) return std::nullopt;
    return read_slurm_nodes(list->value, list->name).and_then([&](const auto& names) {
      return with_slots(names, list->name).map([](Hosts all) { return std::optional(all); });
    });
  }

 private:
  struct Slots {
    std::vector<std::uint32_t> counts;
    std::string from;  // variables
  };

  [[nodiscard]] Result<Hosts> with_slots(const std::vector<std::string>& names,
                                         const std::string& list) const {
    return slots(names).map([&](const Slots& slots) {
      Hosts hosts(names.size());
      for (std::size_t i = 0; i < names.size(); ++i) {
        hosts[i].name = names[i];
        hosts[i].slots = slots.counts[i];
        hosts[i].place.source = slots.from.empty() ? list : list + ", " + slots.from;
        hosts[i].component = component_;
      }
      return hosts;
    });
  }

  // Within a step, SLURM_TASKS_PER_NODE tells of the step (Slurm: src/common/env.c). That is what
  // was asked for where the step is the whole job, as in `srun -N2 -n16 --pty bash`.
  [[nodiscard]] bool tells_of_job() const {
    constexpr std::string_view kInteractive = "4294967290";  // of salloc
    const auto step = asked_.variable("SLURM_STEP_ID");
    if (!step || *step == kInteractive) return true;
    return !is_on_each_ && asked_.variable("SLURM_STEP_NUM_TASKS").value_or("1") != "1" &&
           asked_.variable("SLURM_STEP_NODELIST") == asked_.variable("SLURM_JOB_NODELIST");
  }

  [[nodiscard]] Result<Slots> slots(const std::vector<std::string>& names) const {
    const std::size_t nodes = names.size();
    if (asked_.form.slots == HostSlots::devices) {
      const auto devices = first({"SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE"});
      if (devices) return devices_of(*devices, nodes);
      if (auto told = devices_told(names)) return Slots{*std::move(told), "scontrol show job -d"};
    }
    const auto tasks = first({"SLURM_TASKS_PER_NODE"});
    if (tasks && tells_of_job()) return counts_of(*tasks, nodes);
    if (const auto cpus = first({"SLURM_JOB_CPUS_PER_NODE"})) return tasks_of(*cpus, nodes);
    return Slots{std::vector<std::uint32_t>(nodes, 1), ""};
  }

  // salloc says in no variable what --gres=gpu:2 has given.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> devices_told(
      const std::vector<std::string>& names) const {
    const auto job = first({"SLURM_JOB_ID"});
    if (!job || !asked_.ask) return std::nullopt;
    const auto said = asked_.ask({"scontrol", "show", "job", "-d", std::string(job->value)});
    return said ? slurm_devices(*said, names) : std::nullopt;
  }

  // "8" or "TYPE:8"; those of this host stand for all.
  static Result<Slots> devices_of(const Told& told, std::size_t nodes) {
    const std::string_view number = told.value.substr(told.value.rfind(':') + 1);
    return read_number(told.name, number, {1, kCpusMax}, base::Fault::usage)
        .map([&](std::uint32_t count) {
          return Slots{std::vector<std::uint32_t>(nodes, count), told.name};
        });
  }

  static Result<Slots> counts_of(const Told& told, std::size_t nodes) {
    return read_slurm_counts(told.value, nodes, told.name).map([&](auto counts) {
      return Slots{std::move(counts), told.name};
    });
  }

  // As many tasks as the cpus of each node are enough for.
  [[nodiscard]] Result<Slots> tasks_of(const Told& cpus, std::size_t nodes) const {
    const auto per_task = first({"SLURM_CPUS_PER_TASK"});
    if (!per_task || is_on_each_) return counts_of(cpus, nodes);
    const auto each = read_number(per_task->name, per_task->value, {1, kCpusMax},  //
                                  base::Fault::usage);
    if (!each) return tl::unexpected(each.error());
    return counts_of(cpus, nodes).map([&](Slots slots) {
      for (std::uint32_t& one : slots.counts) one = std::max(1U, one / *each);
      slots.from += " by " + per_task->name;
      return slots;
    });
  }

  const HostQuery& asked_;
  bool is_on_each_;
  std::optional<std::uint32_t> component_;
};

Result<std::optional<Hosts>> hosts_of_all(const HostQuery& asked, bool is_on_each,
                                          std::string_view components) {
  const auto count =
      read_number("SLURM_HET_SIZE", components, {1, kComponentsMax}, base::Fault::usage);
  if (!count) return tl::unexpected(count.error());
  Hosts all;
  for (std::uint32_t i = 0; i < *count; ++i) {
    auto hosts = Job(asked, is_on_each, i).hosts();
    if (!hosts) return hosts;
    if (*hosts) std::ranges::move(**hosts, std::back_inserter(all));
  }
  return all.empty() ? std::nullopt : std::optional(std::move(all));
}

Result<std::optional<Hosts>> hosts_around(const HostQuery& asked, bool is_on_each) {
  const auto components = asked.variable("SLURM_HET_SIZE");
  return components ? hosts_of_all(asked, is_on_each, *components)
                    : Job(asked, is_on_each, std::nullopt).hosts();
}

// Of a step that calls muster on each of its hosts, those hosts.
Result<std::optional<Hosts>> hosts_of_step(const HostQuery& asked, Hosts all) {
  constexpr const char* kName = "SLURM_STEP_NODELIST";
  return read_slurm_nodes(asked.variable(kName).value_or(""), kName).map([&](const auto& names) {
    const std::unordered_set<std::string_view> own(names.begin(), names.end());
    std::erase_if(all, [&](const HostEntry& one) { return !own.contains(one.name); });
    for (HostEntry& one : all) one.place.source = fmt::format("{}, {}", kName, one.place.source);
    return std::optional(std::move(all));
  });
}

}  // namespace

base::Result<std::optional<HostsFound>> allocation_around(const HostQuery& asked) {
  if (!asked.variable || asked.variable(model::kHeadAbove)) return std::nullopt;
  if (!asked.manager.empty() && asked.manager != "slurm") return std::nullopt;
  const auto place = step_place(asked.variable);
  auto hosts = hosts_around(asked, place && *place);
  if (!hosts) return tl::unexpected(std::move(hosts.error()));
  if (!*hosts) return std::nullopt;
  if (!place) return tl::unexpected(place.error());
  if (*place) hosts = hosts_of_step(asked, **std::move(hosts));
  return std::move(hosts).map([&](std::optional<Hosts> all) {
    const auto job = asked.variable("SLURM_JOB_ID");
    return std::optional(HostsFound{
        model::kHostsAllocated, fmt::format("Slurm job {}", job.value_or("?")), *std::move(all)});
  });
}

}  // namespace muster::spec
