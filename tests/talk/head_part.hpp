// HeadPart: plays a whole head to a real agent, whose tasks are real ones that do no harm.
#pragma once

#include <string>

#include "talk/any.hpp"
#include "talk/line.hpp"
#include "talk/mood.hpp"

namespace muster::talk {

class HeadPart {
 public:
  // Whatever the agent makes lies below the folder.
  HeadPart(Line& line, Dice dice, std::string folder)
      : line_(line), dice_(dice), any_(dice_), folder_(std::move(folder)) {}

  void play();
  // One turn of it.
  void step(const Mood& mood);
  void hello();

 private:
  void wander(bool harms);
  void obey(int milliseconds);
  void answer(const wire::Welcome&);
  void answer(const wire::Prepared& prepared);
  void answer(const wire::Started& started) { any_.know(started.rank); }
  void answer(const wire::Exited& exited);
  void answer(const wire::FenceIn& fence);
  void answer(const wire::NameAsk& ask);
  void answer(const wire::Spawn& spawn);
  void answer(const wire::Stopped&);
  template <class Other>
  void answer(const Other&) {}
  // World, then Prepare.
  void order(std::uint32_t number);
  [[nodiscard]] wire::World world(std::uint32_t number);
  void add_ranks(wire::World& world);
  [[nodiscard]] wire::Prepare own_part(const wire::World& world);
  [[nodiscard]] model::App app();
  [[nodiscard]] wire::Address about();
  void say(const wire::ToAgent& message);

  Line& line_;
  Dice dice_;
  Any any_;
  std::string folder_;
  wire::HeadReader reader_;
  bool greeted_ = false;  // the magic line has been skipped
  std::uint32_t ranks_ = 0;
  std::uint32_t worlds_ = 0;
  std::uint32_t running_ = 0;
};

}  // namespace muster::talk
