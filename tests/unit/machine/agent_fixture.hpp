// A machine of an agent whose effects are told as words.
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "machine/agent_machine.hpp"

namespace muster::machine {

using Words = std::vector<std::string>;

// Its only node has so many ranks, from `first` on.
wire::World world_of(std::uint32_t ranks, std::uint32_t number = 1, std::uint32_t first = 0);

class AgentFixture : public testing::Test {
 protected:
  Words now(AgentEvent event);
  // So long after the start.
  Words at(base::Duration time, AgentEvent event);
  Words hear(wire::ToAgent message) { return now(AgentEvent(std::move(message))); }
  Words order(const wire::World& world, wire::Prepare own = {});
  // By a head with a lease of 8 s and a grace of 3 s.
  void make_ready(std::uint32_t ranks);
  void make_running(std::uint32_t ranks);
  Words ended(std::uint32_t rank);
  Words streams_end(std::uint32_t rank);
  // Milliseconds after the start, or -1.
  [[nodiscard]] std::int64_t deadline() const;

  static constexpr base::Instant kStart{std::chrono::seconds(100)};
  base::Instant now_ = kStart;
  AgentMachine machine_{AgentOptions{}};
};

}  // namespace muster::machine
