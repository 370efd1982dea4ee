// A run's stdin: who is sent what was read, and when reading pauses.
#include "machine/run.hpp"

namespace muster::machine {

using base::Rank;

void Run::input_flow(RunEffects& out) {
  const auto on = stdin_.change(ranks_.all_started());
  if (on) out.push_back(ReadInput{*on});
}

void Run::input(const std::string& bytes, RunEffects& out) {
  for (const Rank rank : stdin_.send(bytes.size())) {
    out.push_back(ToNode{input_.plan.ranks[rank.value].node, wire::Input{rank, bytes}});
  }
  input_flow(out);
}

void Run::input_ended(RunEffects& out) {
  if (stdin_.ended()) return;
  stdin_.end();
  end_input(out);
}

void Run::end_input(RunEffects& out) const {
  for (const Rank rank : stdin_.targets()) {
    out.push_back(ToNode{input_.plan.ranks[rank.value].node, wire::InputEnd{rank}});
  }
}

void Run::hear(base::NodeIndex, wire::InputCredit& message, RunEffects& out) {
  stdin_.taken(message.rank, message.bytes);
  input_flow(out);
}

}  // namespace muster::machine
