// Listed: ranks whose hosts the user has written down, one by one: seq and rankfile.
#pragma once

#include <string>
#include <unordered_map>

#include "base/error.hpp"
#include "model/inventory.hpp"
#include "plan/dealing.hpp"

namespace muster::plan {

// Finds hosts by any name that the user wrote for them, or as "+nK", the K-th from 0.
class HostNames {
 public:
  explicit HostNames(const model::Inventory& inventory);
  [[nodiscard]] std::optional<std::uint32_t> find(const std::string& name) const;
  [[nodiscard]] std::optional<std::uint32_t> find(const model::HostEntry& entry) const;

 private:
  std::size_t hosts_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

// Rank k on the k-th entry of the host list (orte/mca/rmaps/seq/rmaps_seq.c). Fault::no_slots when
// there are more ranks than entries; entries of hosts without room are left out.
[[nodiscard]] base::Result<std::vector<Assignment>> by_entry(
    const model::JobSpec& spec, const model::Inventory& inventory,
    const std::vector<Capacity>& capacities, std::uint64_t ranks);

// Each rank where the rankfile says. Every rank below `ranks` needs exactly one entry.
[[nodiscard]] base::Result<std::vector<Assignment>> by_rankfile(const model::JobSpec& spec,
                                                                const model::Inventory& inventory,
                                                                std::uint64_t ranks);

}  // namespace muster::plan
