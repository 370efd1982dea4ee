// PmixHead: the head's share of PMIx: which worlds there are, and what their ranks exchange.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/id.hpp"
#include "machine/pmix_exchange.hpp"
#include "model/job_spec.hpp"
#include "model/plan.hpp"
#include "model/world.hpp"

namespace muster::machine {

class PmixHead {
 public:
  // `secret`: random. Worlds have names that begin with it: who knows one may ask to be a rank.
  explicit PmixHead(std::string secret) : secret_(std::move(secret)) {}

  // All ranks of the first world are about to be started; what was exchanged before is forgotten.
  void begin(const model::Plan& plan, const std::vector<model::App>& apps, std::uint32_t round);
  // A host joins, as the node after all others.
  void add_host(const std::string& name);
  // A world is spawned; its ranks by number in it.
  void add(const model::World& world, const std::vector<model::PlannedRank>& ranks,
           const std::vector<model::App>& apps, base::Rank spawner);

  // For a node whose server knows nothing yet: all worlds so far.
  [[nodiscard]] std::vector<pmix::AddJob> jobs(base::NodeIndex node) const;
  // For all others: the world that was added last. Each host knows its own node.
  [[nodiscard]] pmix::AddJob newest() const;
  // Of the first world, which agents know by their own plan.
  [[nodiscard]] const std::string& nspace() const { return worlds_.front()->nspace; }

  [[nodiscard]] PmixOrders take(base::NodeIndex node, const pmix::Upcall& upcall) {
    return exchange_.take(node.value, upcall);
  }
  void forget(base::NodeIndex node) { exchange_.forget(node.value); }
  [[nodiscard]] PmixOrders lost(base::NodeIndex node) { return exchange_.lost(node.value); }
  // Asserts what holds between two calls; takes time, so only tests ask.
  void check() const;
  bool operator==(const PmixHead& other) const;

 private:
  using SharedJob = std::shared_ptr<const pmix::Job>;

  std::string secret_;
  std::vector<SharedJob> worlds_;  // by number - 1
  PmixExchange exchange_{0};
};

}  // namespace muster::machine
