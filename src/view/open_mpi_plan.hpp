// A plan in the words of Open MPI 4's mpirun, for scripts that read them. Pure.
//
// Layouts as `mpirun` 4.1.4 prints them (ompi orte/mca/ras/base/ras_base_allocate.c,
// orte/runtime/data_type_support/orte_dt_print_fns.c, orte/mca/rtc/hwloc/rtc_hwloc.c).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/id.hpp"
#include "model/inventory.hpp"
#include "model/plan.hpp"

namespace muster::view {

struct OpenMpiNames {
  std::string here;              // host name of this machine, shown for it however it was written
  std::uint32_t job_family = 0;  // the first number of [7592,1]
};

// --display-allocation: the hosts with their slots. Hosts that nobody has reached yet are UNKNOWN.
[[nodiscard]] std::string open_mpi_allocation(const model::Inventory& inventory,
                                              const OpenMpiNames& names);

// --display-map. `bound` gives "socket 0[core 0[hwt 0]]:[B/.]" of a rank; empty is told as "N/A".
[[nodiscard]] std::string open_mpi_map(const model::Plan& plan, const OpenMpiNames& names,
                                       const std::function<std::string(base::Rank)>& bound);

// --report-bindings: one line. `bound`: "socket 0[core 0[hwt 0]]: [B/.]"; empty when the rank may
// use every processor.
[[nodiscard]] std::string open_mpi_binding(const std::string& host, std::int32_t pid,
                                           base::Rank rank, const std::string& bound);

}  // namespace muster::view
