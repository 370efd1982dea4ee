// SimPmi: the PMI server of a simulated host. Once all its ranks of a world are in MPI_Init they
// fence, again and again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "machine/host_orders.hpp"
#include "sim/agenda.hpp"
#include "sim/scenario.hpp"
#include "wire/messages.hpp"

namespace muster::sim {

struct SimPmiEvents {
  std::function<void(wire::FenceIn)> up;
  std::function<bool(base::Rank)> alive;
  std::function<void(const std::string&)> complain;
};

class SimPmi {
 public:
  SimPmi(Agenda& agenda, std::uint32_t fences, SimPmiEvents events)
      : agenda_(agenda), fences_(fences), events_(std::move(events)) {}

  // Before there are any.
  void fence_times(std::uint32_t fences) { fences_ = fences; }
  // All ranks are forgotten.
  void begin();
  void add(const machine::HostOrders& orders);
  // The rank is in MPI_Init.
  void joined(base::Rank rank);
  void hear(const wire::FenceOut& answer);

 private:
  struct World {
    std::vector<base::Rank> ranks;  // of this host
    std::set<base::Rank> here = {};
    std::uint32_t fenced = 0;
    bool waits = false;
  };
  void fence(std::uint32_t number);

  Agenda& agenda_;
  std::uint32_t fences_;  // that each world goes through
  SimPmiEvents events_;
  std::map<std::uint32_t, World> worlds_;  // by number
  std::uint32_t life_ = 0;
};

}  // namespace muster::sim
