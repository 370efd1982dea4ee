// SimPmix: the PMIx server of a simulated host, and what ranks ask of it. Each publishes a name,
// looks for its neighbour's and wants its neighbour's data; all ranks of a world fence.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "sim/agenda.hpp"
#include "sim/scenario.hpp"
#include "wire/pmix.hpp"

namespace muster::sim {

namespace pmix = wire::pmix;

struct SimPmixEvents {
  std::function<void(pmix::Upcall)> up;
  std::function<bool(base::Rank)> alive;
  std::function<void(const std::string&)> complain;
};

class SimPmix {
 public:
  SimPmix(Agenda& agenda, std::uint32_t fences, SimPmixEvents events)
      : agenda_(agenda), fences_(fences), events_(std::move(events)) {}

  // Before there are any.
  void fence_times(std::uint32_t fences) { fences_ = fences; }
  // Another server, which knows nothing.
  void begin();
  void add(const pmix::AddJob& job);
  // The rank is in MPI_Init.
  void joined(base::Rank rank);
  void hear(const pmix::Command& command);

 private:
  struct World {
    pmix::AddJob added;
    std::set<std::uint32_t> here = {};  // in MPI_Init
    std::uint32_t fenced = 0;
    std::vector<pmix::FetchModex> fetches = {};  // of ranks that have not come
  };

  void carry_out(const pmix::AddJob& added) { add(added); }
  void carry_out(const pmix::Reply& reply);
  void carry_out(const pmix::Found& found);
  void carry_out(const pmix::FetchModex& fetch);
  template <class Other>
  void carry_out(const Other&) {
    events_.complain("a PMIx server is told what it did not ask for");
  }
  void fence(World& world);
  void answer(World& world);
  void later(std::function<void()> what);
  [[nodiscard]] pmix::Ticket ask(World* fencing);
  // The world that fences, null for other questions.
  World* answered(pmix::Ticket ticket);
  [[nodiscard]] World* world_named(const std::string& nspace);

  Agenda& agenda_;
  std::uint32_t fences_;  // that each world goes through
  SimPmixEvents events_;
  std::map<std::uint32_t, World> worlds_;   // by offset
  std::map<pmix::Ticket, World*> waiting_;  // for an answer
  pmix::Ticket last_ = 0;
  std::uint32_t life_ = 0;
};

}  // namespace muster::sim
