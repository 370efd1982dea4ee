// AgentPart: plays a whole agent to a real head, well or badly.
#pragma once

#include <map>
#include <vector>

#include "talk/any.hpp"
#include "talk/line.hpp"
#include "talk/mood.hpp"

namespace muster::talk {

class AgentPart {
 public:
  AgentPart(Line& line, Dice dice) : line_(line), dice_(dice), any_(dice_) {}

  void play();
  // One turn of it.
  void step(const Mood& mood);

 private:
  void introduce();
  // Hears the head for so long, and answers as an agent would.
  [[nodiscard]] wire::Address about();
  void obey(int milliseconds);
  void answer(const wire::Hello& hello);
  void answer(const wire::World& world) { told_ = world; }
  void answer(const wire::Prepare& own);
  void answer(const wire::Start& start);
  void answer(const wire::Stop& stop);
  void answer(const wire::PmixDown& down);
  void answer(const wire::Trace&);
  void answer(const wire::Ping&);
  void answer(const wire::Bye&) { line_.end_sending(); }
  void answer(const wire::Spawned& spawned) { any_.know_id(spawned.id); }
  template <class Other>
  void answer(const Other&) {}
  void end(base::Rank rank, std::int32_t code);
  void say(const wire::ToHead& message);
  void print(base::Rank rank);

  Line& line_;
  Dice dice_;
  Any any_;
  wire::AgentReader reader_;
  wire::Address about_;  // of the last frame of the head
  wire::World told_;
  std::map<std::uint32_t, std::vector<base::Rank>> worlds_;  // prepared here
  std::vector<base::Rank> running_;
  int takings_ = 0;  // how often others held what was to be claimed
};

}  // namespace muster::talk
