// Open MPI's plan texts, as its own mpirun prints them for the same hosts.
#include <gtest/gtest.h>

#include "golden/golden.hpp"
#include "model/carriers.hpp"
#include "view/open_mpi_plan.hpp"

namespace muster::golden::view_open_mpi_test {
namespace {

using base::NodeIndex;
using base::Rank;

[[nodiscard]] model::Host host(const std::string& name, const model::Carrier& carrier,
                               std::uint32_t slots) {
  model::Host host;
  host.name = name;
  host.carrier = carrier;
  host.slots = slots;
  return host;
}

// Two programs: four ranks of one, the last rank of another.
struct Sample {
  model::Inventory inventory;
  model::Plan plan;
  view::OpenMpiNames names{"node0", 7592};

  Sample() {
    inventory.hosts = {host("localhost", model::kLocal, 3), host("node1", model::kOpened, 2)};
    inventory.hosts[1].max_slots = 4;
    plan.universe = 5;
    plan.nodes = {{inventory.hosts[0], {Rank(0), Rank(1), Rank(2)}},
                  {inventory.hosts[1], {Rank(3), Rank(4)}}};
    for (std::uint32_t rank = 0; rank < 5; ++rank) {
      plan.ranks.push_back({NodeIndex(rank / 3), rank % 3, rank == 4 ? 1U : 0U});
    }
  }
};

TEST(ViewOpenMpi, Allocation) {
  const Sample sample;
  expect_golden("view/open_mpi_allocation.txt",
                view::open_mpi_allocation(sample.inventory, sample.names));
}

TEST(ViewOpenMpi, Map) {
  const Sample sample;
  const auto bound = [](Rank rank) {
    return rank.value < 3 ? fmt::format("socket 0[core {}[hwt 0]]:[B/.]", rank.value) : "";
  };
  expect_golden("view/open_mpi_map.txt", view::open_mpi_map(sample.plan, sample.names, bound));
}

TEST(ViewOpenMpi, Bindings) {
  expect_golden("view/open_mpi_bindings.txt",
                view::open_mpi_binding("node0", 4711, Rank(0), "socket 0[core 0[hwt 0]]: [B/.]") +
                    view::open_mpi_binding("node0", 4711, Rank(1), ""));
}

}  // namespace
}  // namespace muster::golden::view_open_mpi_test
