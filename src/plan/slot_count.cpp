// The rules of muster, Open MPI and Hydra for slots in host lists.
#include "plan/slot_count.hpp"

#include <algorithm>
#include <limits>

namespace muster::plan {
namespace {

std::uint32_t saturating_add(std::uint32_t a, std::uint32_t b) {
  const auto most = std::numeric_limits<std::uint32_t>::max();
  return a > most - b ? most : a + b;
}

}  // namespace

base::Result<void> SlotCount::add(const model::HostEntry& entry, model::Host& host) {
  if (entry.max_slots) host.max_slots = std::max(host.max_slots.value_or(0), *entry.max_slots);
  if (entry.slots_are_cores) {
    host.slots = std::max(host.slots, 1U);
    host.slots_are_cores = true;
    return {};
  }
  const bool open_mpi = spec_->slot_rule == model::SlotRule::open_mpi;
  if (open_mpi && spec_->source.is_file) return add_hostfile_line(entry, host);
  const bool own = spec_->slot_rule == model::SlotRule::muster;
  const std::uint32_t bare = own ? spec_->per_node.value_or(1) : 1;
  host.slots = saturating_add(host.slots, entry.slots.value_or(bare));
  return {};
}

base::Result<void> SlotCount::add_hostfile_line(const model::HostEntry& entry, model::Host& host) {
  const auto given = entry.slots ? entry.slots : entry.max_slots;
  ++lines_;
  if (given && lines_ > 1) {
    return base::fail_at(entry.place, base::Fault::bad_file,
                         fmt::format("write all slots of {} on one line", entry.name),
                         "a line above already gives the slots of {}", entry.name);
  }
  host.slots_are_cores = lines_ == 1 && !given;
  host.slots = given ? *given : saturating_add(host.slots, 1);
  return {};
}

}  // namespace muster::plan
