// Hands what happens to the judges of the runs that it concerns, and keeps the books of links.
#include "sim/court.hpp"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

#include "model/carriers.hpp"

namespace muster::sim {

using base::NodeIndex;
using base::RunIndex;

namespace {
constexpr std::uint32_t kAttemptsOf[] = {1, 4, 24};  // by machine::Retry
constexpr Duration kLeaveLimit(1'000);
constexpr Duration kLeaveTolerance(2);

// The numbers of a run's own nodes take the place of the head's.
template <class Event>
machine::HeadEvent about(Event event, NodeIndex node) {
  event.node = node;
  return event;
}
}  // namespace

void Court::begin(const Scenario& own, const model::Plan& plan, std::optional<RunIndex> within) {
  const RunIndex index(cases_.size() + 1);
  std::vector<std::string> nodes;
  for (const model::PlannedNode& node : plan.nodes) nodes.push_back(node.host.name);
  if (cases_.empty()) names_ = nodes;
  const auto blame = [this, index](const std::string& what) {
    complain(index == base::kFirstRun ? what : fmt::format("run {}: {}", index.value, what));
  };
  const auto find = [this](const std::string& name) { return &link_to(name); };
  cases_.push_back(
      {index, within, std::move(nodes), false, Judge(agenda_, own, plan, find, blame)});
}

void Court::complain(const std::string& what) {
  complaints_.push_back(
      fmt::format("{:.3f}: {}", static_cast<double>(agenda_.since_start().count()) / 1000, what));
}

Link& Court::link_to(const std::string& name) {
  Link& link = links_[name];
  link.is_busy = std::ranges::any_of(fleet_.hosts, [&](const HostScript& one) {
    return one.is_busy && name == host_name(&one - fleet_.hosts.data());
  });
  return link;
}

bool Court::is_here(const std::string& name) const {
  return std::ranges::any_of(fleet_.hosts, [&](const HostScript& one) {
    return one.carrier == model::kLocal && name == host_name(&one - fleet_.hosts.data());
  });
}

std::optional<NodeIndex> Court::node(const Case& one, NodeIndex host) const {
  const auto found = std::ranges::find(one.nodes, name(host));
  if (found == one.nodes.end()) return std::nullopt;
  return NodeIndex(found - one.nodes.begin());
}

// A run has it that is not about to end.
bool Court::is_wanted(const std::string& name) const {
  return std::ranges::any_of(cases_, [&](const Case& one) {
    return !one.judge.over() && !one.judge.ends() && std::ranges::count(one.nodes, name) > 0;
  });
}

// A run has greeted it, and not let it go.
bool Court::is_held(NodeIndex host) const {
  return std::ranges::any_of(cases_, [&](const Case& one) {
    const auto own = node(one, host);
    return own && !one.judge.over() && one.judge.holds(*own);
  });
}

// ---- what the head hears ------------------------------------------------------------------------

void Court::hears(const machine::HeadEvent& event) {
  std::visit([this](const auto& one) { on(one); }, event);
}

void Court::to_all(const machine::HeadEvent& event) {
  for (Case& one : cases_) {
    if (!one.judge.over()) one.judge.hears(event);
  }
}

void Court::on(const machine::LinkUp& event) { link(event.node).heard = agenda_.now(); }

void Court::on(const machine::LinkFailed& event) {
  Link& failed = link(event.node);
  failed.attempt.reset();
  failed.open = false;
  for (Case& one : cases_) {
    const auto own = node(one, event.node);
    if (own && !one.judge.over()) one.judge.hears(about(event, *own));
  }
  if (failed.attempts >= kAttemptsOf[static_cast<std::size_t>(event.retry)]) failed.attempts = 0;
}

void Court::on(const machine::LinkLost& event) {
  Link& lost = link(event.node);
  if (!lost.open) complain("heard of a link that was closed");
  for (Case& one : cases_) {
    const auto own = node(one, event.node);
    if (own && !one.judge.over()) one.judge.hears(about(event, *own));
  }
  lost = {};
}

void Court::on(const machine::Heard& event) {
  if (!link(event.node).open && !is_here(name(event.node)))
    complain("heard from a link that was closed");
  link(event.node).heard = agenda_.now();
  if (std::holds_alternative<wire::Welcome>(event.message)) {
    link(event.node).attempt.reset();
    link(event.node).attempts = 0;
  }
  Case& one = of(event.run);
  const auto own = node(one, event.node);
  if (!own) return complain("an agent speaks of a run that its host is not in");
  if (!one.judge.over()) one.judge.hears(about(event, *own));
}

void Court::on(const machine::GlooJoined& event) {
  Case& one = of(event.run);
  if (!one.judge.over()) one.judge.hears(event);
}

void Court::on(const machine::UserSignal& event) {
  if (event.number == SIGCONT) woke();
  to_all(event);
}

void Court::woke() {
  for (auto& [name, link] : links_) {
    if (link.heard) link.heard = agenda_.now();
  }
}

void Court::output(NodeIndex host, RunIndex run, base::Rank rank, wire::Stream stream,
                   std::uint64_t offset, std::uint32_t count) {
  link(host).heard = agenda_.now();
  of(run).judge.output(rank, stream, offset, count);
}

void Court::credited(RunIndex run, base::Rank rank, wire::Stream stream, std::uint32_t count) {
  of(run).judge.credited(rank, stream, count);
}

void Court::agent_says(NodeIndex host, RunIndex run, const wire::ToHead& message) {
  if (run.value == 0 || run.value > cases_.size()) return complain("an agent knows no run");
  const auto own = node(of(run), host);
  if (own) of(run).judge.agent_says(*own, message);
}

void Court::task_starts(RunIndex run, base::Rank rank) { of(run).judge.task_starts(rank); }

// ---- what the head does -------------------------------------------------------------------------

void Court::does(const machine::HeadEffect& effect) {
  if (finished_) complain("the head acts after its end");
  std::visit([this](const auto& one) { done(one); }, effect);
}

void Court::compares(bool same) {
  if (!same) complain("a copy of the head acts otherwise");
}

void Court::done(const machine::AddHost& effect) {
  if (effect.node.value != names_.size()) complain("a host joins under a wrong number");
  names_.push_back(effect.host.name);
}

void Court::done(const machine::OpenLink& effect) {
  Link& opened = link(effect.node);
  if (opened.open && !is_here(name(effect.node))) complain("a link is opened twice");
  opened.open = true;
  ++opened.attempts;
  if (!is_wanted(name(effect.node))) complain("a link is opened while the run ends");
  if (!is_here(name(effect.node))) opened.attempt = agenda_.now();
  const auto under_way = std::ranges::count_if(links_, [](const auto& one) {
    const Link& link = one.second;
    return link.open && link.attempt && !link.let_go;
  });
  if (under_way > fleet_.parallel) complain("too many attempts at the same time");
}

// It does not matter to a run that still waits for this host to leave.
void Court::done(const machine::CloseLink& effect) {
  Link& closed = link(effect.node);
  if (!closed.open) complain("a link is closed twice");
  for (Case& one : cases_) {
    const auto own = node(one, effect.node);
    if (!own || one.judge.over()) continue;
    if (closed.attempt || one.judge.holds(*own)) one.judge.does(machine::CloseLink{*own});
  }
  closed.open = false;
  closed_.push_back(name(effect.node));
}

void Court::done(const machine::ToNode& effect) {
  Case& one = of(effect.run);
  const auto own = node(one, effect.node);
  if (!own) return complain("a host is told something of a run that it is not in");
  if (std::holds_alternative<wire::Hello>(effect.message)) {
    link(effect.node).heard = agenda_.now();
  }
  one.judge.does(machine::ToNode{*own, effect.message, effect.run});
  link(effect.node).let_go = !is_held(effect.node);
}

void Court::done(const machine::ToNodes& effect) {
  Case& one = of(effect.run);
  machine::ToNodes own{{}, effect.message, effect.run};
  for (const NodeIndex host : effect.nodes) {
    const auto found = node(one, host);
    if (!found) return complain("a host is told something of a run that it is not in");
    own.nodes.push_back(*found);
  }
  one.judge.does(own);
}

void Court::done(const machine::Tell& effect) {
  Case& one = of(effect.run);
  const auto* joined = std::get_if<model::HostJoined>(&effect.event);
  if (joined != nullptr) one.nodes.push_back(joined->name);
  one.judge.does(effect);
}

void Court::done(const machine::ReadInput& effect) {
  if (effect.run != base::kFirstRun) complain("another run than the first reads our input");
}

void Court::done(const machine::RunOver& effect) {
  of(effect.run).judge.does(effect);
  last_over_ = agenda_.now();
  for (Case& one : cases_) {
    if (one.within == effect.run && !one.judge.over()) one.judge.outer_over();
  }
}

void Court::done(const machine::Finish&) {
  finished_ = agenda_.now();
  for (const Case& one : cases_) {
    if (!one.judge.over()) complain("the head finishes before all runs are over");
  }
  for (const auto& [name, link] : links_) {
    if (link.open && !is_here(name)) complain("the head finishes while a link is open");
  }
}

void Court::turn_over(const machine::HeadMachine& head) {
  for (Case& one : cases_) {
    if (one.heard_over) continue;
    one.heard_over = one.judge.over().has_value();
    const bool another_lost = std::ranges::any_of(one.nodes, [&](const std::string& name) {
      const bool shared = std::ranges::any_of(cases_, [&](const Case& other) {
        return other.index != one.index && std::ranges::count(other.nodes, name) > 0;
      });
      return shared && (std::ranges::count(closed_, name) > 0 || is_here(name));
    });
    one.judge.turn_over(head.run(one.index).report(), another_lost);
  }
  for (const std::string& name : closed_) {
    if (!links_[name].open) links_[name] = {};
  }
  closed_.clear();
  for (auto& [name, link] : links_) {
    if (std::exchange(link.let_go, false)) link.attempt.reset();
    if (!link.open && !is_wanted(name)) link.attempts = 0;
  }
}

void Court::verdict(const machine::HeadMachine& head) {
  for (Case& one : cases_) one.judge.verdict(head.run(one.index).report());
  if (*finished_ > *last_over_ + kLeaveLimit + kLeaveTolerance + fleet_.sleeps) {
    complain("the head takes too long to leave");
  }
}

}  // namespace muster::sim
