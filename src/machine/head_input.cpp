// The launcher's stdin on its way to the ranks that were asked for, never more than a window ahead.
#include <algorithm>

#include "machine/head_machine.hpp"

namespace muster::machine {

using base::Rank;

namespace {
constexpr std::uint64_t kInputWindow = 256u << 10;  // bytes sent and not yet taken, per rank
}

std::vector<Rank> HeadMachine::input_ranks() const {
  switch (input_.spec.input.to) {
    case model::StdinTo::none:
      return {};
    case model::StdinTo::one:
      return {input_.spec.input.rank};
    case model::StdinTo::all:
      break;
  }
  std::vector<Rank> all;
  const std::uint32_t count = first_world().world.size;  // spawned ranks get no input
  for (std::uint32_t rank = 0; rank < count; ++rank) all.emplace_back(rank);
  return all;
}

void HeadMachine::input_flow(HeadEffects& out) {
  if (input_.spec.input.to == model::StdinTo::none || input_ended_) return;
  if (running_ < tasks_.size()) return;
  bool room = true;
  bool taker = false;
  for (const Rank rank : input_ranks()) {
    if (tasks_[rank.value].ended) continue;
    taker = true;
    if (input_sent_[rank.value] - input_taken_[rank.value] >= kInputWindow) room = false;
  }
  if (std::exchange(reading_input_, room && taker) != reading_input_) {
    out.push_back(ReadInput{reading_input_});
  }
}

void HeadMachine::on(InputBytes& event, HeadEffects& out) {
  send_input(event.bytes, out);
  input_flow(out);
}

void HeadMachine::send_input(const std::string& bytes, HeadEffects& out) {
  for (const Rank rank : input_ranks()) {
    if (tasks_[rank.value].ended) continue;
    input_sent_[rank.value] += bytes.size();
    out.push_back(ToNode{input_.plan.ranks[rank.value].node, wire::Input{rank, bytes}});
  }
}

void HeadMachine::on(InputEnded&, HeadEffects& out) {
  if (!std::exchange(input_ended_, true)) end_input(out);
}

void HeadMachine::end_input(HeadEffects& out) {
  for (const Rank rank : input_ranks()) {
    out.push_back(ToNode{input_.plan.ranks[rank.value].node, wire::InputEnd{rank}});
  }
}

void HeadMachine::hear(base::NodeIndex, wire::InputCredit& message, HeadEffects& out) {
  std::uint64_t& taken = input_taken_[message.rank.value];
  taken = std::min(taken + message.bytes, input_sent_[message.rank.value]);
  input_flow(out);
}

}  // namespace muster::machine
