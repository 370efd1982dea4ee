// HeadFixture: a head machine with a few hosts, events by name, and its effects as short words.
#pragma once

#include <concepts>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "machine/head_machine.hpp"
#include "machine/host_orders.hpp"

namespace muster::machine {

using Words = std::vector<std::string>;

static_assert(std::copyable<HeadMachine> && std::equality_comparable<HeadMachine>);

// What a node would start after these effects, World and Prepare put together as its agent does.
[[nodiscard]] HostOrders orders_in(const HeadEffects& effects, base::NodeIndex node);

class HeadFixture : public testing::Test {
 protected:
  static constexpr base::NodeIndex kA{0};
  static constexpr base::NodeIndex kB{1};

  HeadFixture();

  // Hosts "a", "b" ...; one rank each, or as many as `ranks_each`.
  void make(std::vector<model::Carrier> hosts, std::uint32_t ranks_each = 1);
  Words start();
  // Moves the clock to so many milliseconds after the start, then feeds the event.
  Words at(int milliseconds, HeadEvent event);
  Words now(HeadEvent event);
  Words hear(base::NodeIndex node, wire::ToHead message);
  // To the state in which every rank runs.
  void run_all();
  [[nodiscard]] std::string cause() const;
  [[nodiscard]] int exit_code() const { return machine_->report().exit_code(); }
  // Milliseconds after the start, or -1.
  [[nodiscard]] std::int64_t deadline() const;

  [[nodiscard]] Words words(const HeadEffects& effects);
  static wire::Exited exited(std::uint32_t rank, int code, int signal = 0);
  static base::Error lost(const std::string& what);

  model::JobSpec spec_;
  bool survey_ = false;
  void (*shape_)(model::Plan& plan) = nullptr;  // changes the plan before it is carried out
  std::vector<model::Carrier>
      spare_;                 // hosts without ranks; their names follow those of the others
  bool holds_spare_ = false;  // these are greeted first, and kept
  bool keeps_links_ = false;
  base::RunIndex number_ = base::kFirstRun;  // of the run
  std::uint32_t servers_ = 0;  // so many of the last ranks are of a second program, which serves
  std::unique_ptr<HeadMachine> machine_;

 private:
  std::map<std::uint32_t, wire::World> told_;  // by number
  base::Instant now_{std::chrono::seconds(100)};
  std::size_t hosts_ = 0;
  std::uint32_t ranks_ = 0;
  std::uint32_t ranks_each_ = 1;
};

}  // namespace muster::machine
