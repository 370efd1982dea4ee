// Overseer: what judges the steps of a pipeline while they run, and may end them early: a sweep its
// trials. The conductor asks it after each turn of its loop.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/record.hpp"
#include "model/stream.hpp"

namespace muster::pipeline {

// What it wants to be done.
struct Orders {
  std::vector<std::size_t> stop;  // these steps
  bool end_all = false;           // nothing more starts, and what runs is stopped
  std::vector<std::string> say = {};
};

// How the whole has ended.
struct Conclusion {
  model::RunState state = model::RunState::completed;
  int code = 0;
  std::string words;  // lines
  model::BestTrial best = {};
  int signal = 0;  // that has ended what was still to be done
};

class Overseer {
 public:
  Overseer() = default;
  virtual ~Overseer() = default;
  Overseer(const Overseer&) = delete;
  Overseer& operator=(const Overseer&) = delete;

  virtual void started(std::size_t step) = 0;  // its process runs, not yet its ranks
  virtual void printed(std::size_t step, model::Stream stream, std::string_view bytes) = 0;
  // Its process has gone. What it has left to be read is read in the next turns, until is_read().
  virtual void left(std::size_t step) = 0;
  [[nodiscard]] virtual bool is_read(std::size_t step) const = 0;
  virtual void ended(std::size_t step, bool well) = 0;  // or it never began
  virtual void interrupted() = 0;
  // What it has found since the last call.
  [[nodiscard]] virtual Orders look() = 0;
  // Milliseconds until it wants to look by itself.
  [[nodiscard]] virtual std::optional<int> patience() const = 0;
  // What a step that starts is given; may be empty.
  [[nodiscard]] virtual std::vector<model::Tag> given(std::size_t step) const = 0;
  // What is to be said of a step that has ended: "loss 0.25"; may be empty.
  [[nodiscard]] virtual std::string note(std::size_t step) const = 0;
  // Once every step is over.
  [[nodiscard]] virtual Conclusion conclude() = 0;
};

}  // namespace muster::pipeline
