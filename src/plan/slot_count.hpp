// SlotCount: adds up the slots of one host from its entries in a host list.
#pragma once

#include "base/error.hpp"
#include "model/inventory.hpp"

namespace muster::plan {

class SlotCount {
 public:
  explicit SlotCount(const model::JobSpec& spec) : spec_(&spec) {}

  // Updates slots, max_slots and slots_are_cores of the host.
  base::Result<void> add(const model::HostEntry& entry, model::Host& host);

 private:
  base::Result<void> add_hostfile_line(const model::HostEntry& entry, model::Host& host);

  const model::JobSpec* spec_;
  std::uint32_t lines_ = 0;
};

}  // namespace muster::plan
