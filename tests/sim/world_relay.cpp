// A world with a head above: links are that head's, and the simulated head hears of them through
// it.
#include "sim/words.hpp"
#include "sim/world.hpp"

namespace muster::sim {

using base::NodeIndex;
using base::Rank;
using base::RunIndex;

void World::put_head_above() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < scenario_.hosts.size(); ++i) names.push_back(host_name(i));
  relay_.emplace(agenda_, Dice(scenario_.seed), scenario_, names, relay_events());
}

SimRelayEvents World::relay_events() {
  SimRelayEvents events;
  events.open_link = [this](const std::string& host) { open_link(called(host)); };
  events.close_link = [this](const std::string& host) { close_link(called(host)); };
  events.send = [this](const std::string& host, const wire::ToAgent& message, RunIndex run) {
    const NodeIndex node = called(host);
    Session* session = current(node);
    if (session == nullptr || !session->open) return;
    session->to_agent.send([session, run, message] {
      if (session->agent) session->agent->hear(run, message);
    });
  };
  events.below = [this](machine::HeadEvent event) { head_.feed(std::move(event)); };
  events.output = [this](NodeIndex host, Rank rank, wire::Stream stream, std::uint64_t offset,
                         std::uint32_t count) {
    head_.output(host, base::kFirstRun, rank, stream, offset, count);
  };
  events.when_awake = [this](std::function<void()> what) { head_.when_awake(std::move(what)); };
  events.complain = [this](const std::string& what) { court_.complain(what); };
  return events;
}

NodeIndex World::called(const std::string& host) const {
  std::uint32_t node = 0;
  while (host_name(node) != host) ++node;
  return NodeIndex(node);
}

void World::hears_up(const Session& session) {
  if (relay_) return relay_->up(host_name(session.node.value));
  head_.feed(machine::LinkUp{at_head(session.node)});
}

void World::hears_failure(const Session& session, base::Error error, machine::Retry retry) {
  if (relay_) return relay_->failed(host_name(session.node.value), std::move(error), retry);
  head_.feed(machine::LinkFailed{at_head(session.node), std::move(error), retry});
}

void World::hears_loss(const Session& session, base::Error error) {
  if (relay_) return relay_->lost(host_name(session.node.value), std::move(error));
  head_.feed(machine::LinkLost{at_head(session.node), std::move(error)});
}

void World::hears(NodeIndex node, RunIndex run, const wire::ToHead& message) {
  if (relay_ && !here(node)) return relay_->heard(host_name(node.value), run, message);
  head_.feed(machine::Heard{at_head(node), message, run});
}

void World::hears_output(NodeIndex node, RunIndex run, Rank rank, wire::Stream stream,
                         std::uint64_t offset, std::uint32_t count) {
  if (relay_ && !here(node)) {
    return relay_->output(host_name(node.value), run, rank, stream, offset, count);
  }
  head_.output(at_head(node), run, rank, stream, offset, count);
}

// Agents know the run by the number that the head above gave it.
RunIndex World::known_as(NodeIndex node, RunIndex run) const {
  return relay_ && !here(node) ? base::kFirstRun : run;
}

}  // namespace muster::sim
