// Binding to objects of the hardware.
#include "plan/binding.hpp"

#include <algorithm>

namespace muster::plan {
namespace {

using base::Fault;
using model::Mapping;

using Objects = std::vector<std::uint32_t>;
using Sets = std::vector<model::CpuSet>;

tl::unexpected<base::Error> overload(const Mapping& mapping, const std::string& host,
                                     std::size_t ranks, std::uint32_t cpus) {
  const std::string_view level = model::name_of(mapping.bind_level);
  return base::fail(Fault::usage,
                    fmt::format("--bind-to {}:overload-allowed shares cpus; --bind-to none binds "
                                "nothing",
                                level),
                    "binding to {} puts more ranks than cpus on a {} of {}: {} rank{} there "
                    "{} {} cpu{} each, and {} cpu{} may be used",
                    level, level, host, ranks, ranks == 1 ? "" : "s", ranks == 1 ? "needs" : "need",
                    mapping.cpus_per_rank, mapping.cpus_per_rank == 1 ? "" : "s", cpus,
                    cpus == 1 ? "" : "s");
}

// Binds the assignments of one host. Empty sets: a default binding that cannot be had.
class HostBinder {
 public:
  HostBinder(const Mapping& mapping, const Hardware& hardware, const std::string& host)
      : mapping_(mapping),
        hardware_(hardware),
        host_(host),
        targets_(hardware.at(mapping.bind_level)),
        bound_(targets_.size()) {}

  base::Result<Sets> bind(const Objects& objects) {
    ranks_ = objects.size();
    const bool in_place = mapping_.cpus_per_rank == 1 && mapped_by_target();
    Sets sets;
    sets.reserve(objects.size());
    for (const std::uint32_t object : objects) {
      auto set = in_place ? at_own(object) : at_least_used(object);
      if (!set) return tl::unexpected(set.error());
      if (set->empty()) return Sets();
      sets.push_back(std::move(*set));
    }
    return sets;
  }

 private:
  [[nodiscard]] bool mapped_by_target() const {
    const bool by_object =
        mapping_.map_by == model::MapBy::object || mapping_.map_by == model::MapBy::ppr;
    return by_object && mapping_.level == mapping_.bind_level;
  }

  [[nodiscard]] bool is_full(std::size_t target) const {
    return bound_[target] >= targets_[target].cpus;
  }

  // What to do with one rank too many.
  [[nodiscard]] base::Result<model::CpuSet> too_many() const {
    if (!mapping_.bind_given) return model::CpuSet();
    return overload(mapping_, host_, ranks_, hardware_.whole.cpus);
  }

  base::Result<model::CpuSet> at_own(std::uint32_t object) {
    std::size_t target = object;
    while (target < targets_.size() && is_full(target)) ++target;
    if (target == targets_.size()) {
      target = object;
      while (target > 0 && is_full(target)) --target;
      if (is_full(target)) {
        if (!mapping_.bind_overload) return too_many();
        target = object;
      }
    }
    ++bound_[target];
    return targets_[target].set;
  }

  base::Result<model::CpuSet> at_least_used(std::uint32_t object) {
    const model::CpuSet& own =
        object == kNoObject ? hardware_.whole.set : hardware_.at(mapping_.level)[object].set;
    std::size_t target = targets_.size();
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const bool better = target == targets_.size() || bound_[i] < bound_[target];
      if (better && targets_[i].set.meets(own)) target = i;
    }
    return from(target);
  }

  // As many objects in a row as cpus_per_rank needs.
  base::Result<model::CpuSet> from(std::size_t target) {
    model::CpuSet set;
    std::uint32_t cpus = 0;
    for (; cpus < mapping_.cpus_per_rank; ++target) {
      if (target >= targets_.size()) return too_many();
      if (is_full(target) && !mapping_.bind_overload) return too_many();
      ++bound_[target];
      set |= targets_[target].set;
      cpus += targets_[target].cpus;
    }
    return set;
  }

  const Mapping& mapping_;
  const Hardware& hardware_;
  const std::string& host_;
  const std::vector<Hardware::Object>& targets_;
  Objects bound_;  // ranks on each target
  std::size_t ranks_ = 0;
};

// Nothing when the host lacks the objects and that is no fault.
base::Result<Sets> sets_of_host(const Mapping& mapping, const model::Host& host,
                                HardwareOfHosts& hardware, const Objects& objects) {
  const auto known = hardware.find(host, mapping);
  if (!known) return tl::unexpected(known.error());
  if ((*known)->at(mapping.bind_level).empty()) {
    if (mapping.bind_if_supported || !mapping.bind_given) return Sets();
    return base::fail(Fault::usage,
                      fmt::format("--bind-to {}:if-supported binds only where possible",
                                  model::name_of(mapping.bind_level)),
                      "{} has no {} to bind to", host.name, model::name_of(mapping.bind_level));
  }
  return bind_on_host(mapping, **known, host.name, objects);
}

}  // namespace

base::Result<Sets> bind_on_host(const Mapping& mapping, const Hardware& hardware,
                                const std::string& host, const Objects& objects) {
  return HostBinder(mapping, hardware, host).bind(objects);
}

std::size_t SetTable::Hash::operator()(const model::CpuSet& set) const noexcept {
  std::size_t hash = 0;
  for (const std::uint64_t word : set.words()) {
    hash = (hash ^ std::hash<std::uint64_t>()(word)) * 0x9E3779B97F4A7C15ULL;
  }
  return hash;
}

std::uint32_t SetTable::index_of(const model::CpuSet& set) {
  const auto [at, is_new] = index_.try_emplace(set, static_cast<std::uint32_t>(sets_.size()));
  if (is_new) sets_.push_back(set);
  return at->second;
}

base::Result<void> bind_to_objects(const Mapping& mapping, const model::Inventory& inventory,
                                   HardwareOfHosts& hardware, std::vector<Assignment>& assignments,
                                   SetTable& sets) {
  std::vector<Objects> objects(inventory.hosts.size());
  for (const Assignment& assignment : assignments)
    objects[assignment.host].push_back(assignment.object);
  std::map<std::pair<const model::Topology*, Objects>, Objects> known;
  std::vector<const Objects*> bound(inventory.hosts.size());
  for (std::size_t i = 0; i < inventory.hosts.size(); ++i) {
    if (objects[i].empty()) continue;
    const model::Host& host = inventory.hosts[i];
    const auto [at, is_new] = known.try_emplace({host.topology.value.get(), objects[i]});
    if (is_new) {
      const auto made = sets_of_host(mapping, host, hardware, objects[i]);
      if (!made) return tl::unexpected(made.error());
      for (const model::CpuSet& set : *made) at->second.push_back(sets.index_of(set));
    }
    const bool given_up = at->second.empty() && !mapping.bind_given;
    if (given_up) return {};
    if (!at->second.empty()) bound[i] = &at->second;
  }
  std::vector<std::uint32_t> next(inventory.hosts.size());
  for (Assignment& assignment : assignments) {
    if (bound[assignment.host] != nullptr)
      assignment.set = (*bound[assignment.host])[next[assignment.host]++];
  }
  return {};
}

}  // namespace muster::plan
