// Mood: how often a part keeps to the protocol, says something else that is valid, or harms a
// frame.
#pragma once

#include <array>

#include "sim/dice.hpp"

namespace muster::talk {

inline constexpr int kTurn = 15;  // ms that a part waits for the next word

struct Mood {
  double obeys = 0.9;
  double wanders = 0.07;  // any valid message
  double harms = 0.02;    // a damaged frame
  std::uint32_t steps = 40;
  bool patient = true;  // at the end it keeps to the protocol until the other side has ended
};

inline Mood draw_mood(sim::Dice& dice) {
  constexpr std::array<Mood, 4> kMoods = {Mood{1.0, 0, 0}, Mood{0.85, 0.13, 0.01},
                                          Mood{0.45, 0.5, 0.02}, Mood{0.3, 0.3, 0.3}};
  Mood mood = kMoods[dice.between(0, kMoods.size() - 1)];
  mood.steps = dice.between(3, 60);
  mood.patient = dice.chance(0.6);
  return mood;
}

}  // namespace muster::talk
