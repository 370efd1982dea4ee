// The head's share of MPI wire-up: fences joined, names kept, MPI_Abort heard.
#include <algorithm>
#include <csignal>

#include "machine/head_machine.hpp"

namespace muster::machine {

using base::NodeIndex;

void HeadMachine::hear(NodeIndex node, wire::FenceIn& message, HeadEffects& out) {
  if (message.world > parties_.size()) return;
  Party& party = parties_[message.world - 1];
  if (!std::ranges::binary_search(party.nodes, node)) return;
  const auto joined = party.fences.add(message.sequence, node, message.blob);
  if (!joined) return;
  const wire::FenceOut answer{message.sequence, *joined, message.world};
  for (const NodeIndex one : party.nodes) {
    if (nodes_[one.value].state == NodeState::running) out.push_back(ToNode{one, answer});
  }
}

// The rank's own exit follows; it is this one that counts.
void HeadMachine::hear(NodeIndex node, wire::Aborted& message, HeadEffects& out) {
  if (stop_sent_) return;
  constexpr int kCodes = 256;
  const int code = message.code & (kCodes - 1);
  report_.cause = model::Cause::rank_failed;
  report_.aborted = true;
  report_.abort_message = std::move(message.message);
  report_.first.rank = message.rank;
  report_.first.pid = tasks_[message.rank.value].pid;
  report_.first.code = code == 0 ? 1 : code;
  report_.host = host(node);
  stop_all(SIGTERM, input_.spec.grace, out);
}

// The exchange between PMIx servers is the adapter's: its messages are opaque here.
void HeadMachine::hear(NodeIndex, wire::PmixUp&, HeadEffects&) {}

void HeadMachine::hear(NodeIndex node, wire::NameAsk& message, HeadEffects& out) {
  wire::NameAnswer answer{message.id, wire::NameVerdict::not_found, {}};
  const auto known = names_.find(message.service);
  switch (message.verb) {
    case wire::NameVerb::publish:
      if (names_.try_emplace(message.service, message.port).second) {
        answer.verdict = wire::NameVerdict::done;
      }
      break;
    case wire::NameVerb::lookup:
      if (known != names_.end()) answer = {message.id, wire::NameVerdict::found, known->second};
      break;
    case wire::NameVerb::unpublish:
      if (names_.erase(message.service) > 0) answer.verdict = wire::NameVerdict::done;
      break;
  }
  out.push_back(ToNode{node, std::move(answer)});
}

}  // namespace muster::machine
