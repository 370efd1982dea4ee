// The head's stdin: who is sent what was read, and when reading pauses.
#include "machine/head_machine.hpp"

namespace muster::machine {

using base::Rank;

void HeadMachine::input_flow(HeadEffects& out) {
  const auto on = stdin_.change(ranks_.all_started());
  if (on) out.push_back(ReadInput{*on});
}

void HeadMachine::on(InputBytes& event, HeadEffects& out) {
  for (const Rank rank : stdin_.send(event.bytes.size())) {
    out.push_back(ToNode{input_.plan.ranks[rank.value].node, wire::Input{rank, event.bytes}});
  }
  input_flow(out);
}

void HeadMachine::on(InputEnded&, HeadEffects& out) {
  if (stdin_.ended()) return;
  stdin_.end();
  end_input(out);
}

void HeadMachine::end_input(HeadEffects& out) const {
  for (const Rank rank : stdin_.targets()) {
    out.push_back(ToNode{input_.plan.ranks[rank.value].node, wire::InputEnd{rank}});
  }
}

void HeadMachine::hear(base::NodeIndex, wire::InputCredit& message, HeadEffects& out) {
  stdin_.taken(message.rank, message.bytes);
  input_flow(out);
}

}  // namespace muster::machine
