// Speakers: what tags and file names may contain about each rank.
#pragma once

#include <string>
#include <vector>

#include "base/id.hpp"
#include "model/job_spec.hpp"
#include "model/plan.hpp"
#include "model/world.hpp"
#include "view/pattern.hpp"

namespace muster::machine {

class Speakers {
 public:
  // The plan is looked at each time: it grows when ranks are spawned.
  Speakers(const model::Plan& plan, const std::vector<model::App>& apps);

  // Ranks that were spawned; they have no role.
  void add(const model::World& world) { worlds_.push_back(world); }
  void set_attempt(std::uint32_t attempt) { attempt_ = attempt; }
  [[nodiscard]] view::Speaker of(base::Rank rank) const;
  // Its host has a console and files of its own.
  [[nodiscard]] bool elsewhere(base::Rank rank) const;
  [[nodiscard]] const std::vector<model::World>& worlds() const { return worlds_; }

 private:
  const model::Plan& plan_;
  std::vector<std::string> roles_;  // index: app
  std::vector<model::World> worlds_;
  std::uint32_t attempt_ = 0;
};

}  // namespace muster::machine
