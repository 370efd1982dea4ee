// Dice: SplitMix64, a well-known generator with one word of state (Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators", OOPSLA 2014).
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::sweep {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  // Of one trial: what it draws depends on no other trial.
  Dice(std::uint64_t seed, std::uint64_t trial) : state_(Dice(Dice(seed).next() ^ trial).next()) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  // Above 0 and below 1, in steps of 2^-52.
  double share() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1p-52; }

 private:
  std::uint64_t state_;
};

}  // namespace muster::sweep
