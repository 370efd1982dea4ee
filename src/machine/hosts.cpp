// Opens, greets and pings.
#include "machine/hosts.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/check.hpp"
#include "machine/patience.hpp"
#include "model/by_hand.hpp"
#include "model/carriers.hpp"
#include "view/first_few.hpp"

namespace muster::machine {

using base::Duration;
using base::Error;
using base::Fault;
using base::Instant;
using base::NodeIndex;
using base::RunIndex;

namespace {

constexpr Duration kFirstProgress = std::chrono::seconds(3);
constexpr Duration kNextProgress = std::chrono::seconds(10);

constexpr const char* kSilentHost =
    "the host, its network or muster's agent there has stopped; if the host still runs, its ranks "
    "are ended there; --lease sets the time";
constexpr const char* kSilentAgent =
    "the host itself answers: is muster's agent stopped there, or does it get no processor time? "
    "its ranks are ended there; --lease sets the time";

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

// Both programs must read the same messages, and make the same environments of them.
std::optional<Error> objection(const std::string& host, const wire::Welcome& message) {
  constexpr const char* kInstall = "install the same muster there, or name it with --agent-path";
  if (message.protocol != wire::kProtocol) {
    return Error{Fault::unreachable,
                 fmt::format("{}: muster {} there speaks protocol {}, this one {}", host,
                             message.version, message.protocol, wire::kProtocol),
                 kInstall,
                 {}};
  }
  if (message.plans == wire::plan_digest()) return std::nullopt;
  return Error{
      Fault::unreachable,
      fmt::format("{}: muster {} there would give ranks a different environment than this one",
                  host, message.version),
      kInstall,
      {}};
}

}  // namespace

Hosts::Hosts(Options options)
    : options_(std::move(options)),
      opener_(options_.carrier.parallel, options_.carrier.patience),
      waiting_(options_.carrier.patience, "for one attempt") {}

Hosts::Entry& Hosts::of(NodeIndex node) {
  CHECK(node.value < hosts_.size());
  return hosts_[node.value];
}

const Hosts::Entry& Hosts::of(NodeIndex node) const {
  CHECK(node.value < hosts_.size());
  return hosts_[node.value];
}

NodeIndex Hosts::add(const model::Host& host) {
  hosts_.push_back({host, !host.carrier.in_head});
  return NodeIndex(hosts_.size() - 1);
}

std::optional<NodeIndex> Hosts::find(const model::Host& host) const {
  const auto found = std::ranges::find_if(hosts_, [&](const Entry& one) {
    return one.host.name == host.name && one.host.user == host.user && one.host.port == host.port;
  });
  if (found == hosts_.end()) return std::nullopt;
  return NodeIndex(found - hosts_.begin());
}

// What people have written comes before what hosts call themselves; of two, that which is wanted,
// then that which has a link.
std::optional<NodeIndex> Hosts::find_called(const model::Host& host,
                                            const std::function<bool(NodeIndex)>& wanted) const {
  std::optional<NodeIndex> best;
  int rank = 0;
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
    const Entry& one = hosts_[i];
    const bool is_written = model::may_mean(host, one.host);
    if (!is_written && !model::may_mean(host, one.host, one.facts)) continue;
    const int its =
        1 + (wanted(NodeIndex(i)) ? 4 : 0) + (is_written ? 2 : 0) + (one.linked ? 1 : 0);
    if (its > rank) best = NodeIndex(i), rank = its;
  }
  return best;
}

// ---- opening ----------------------------------------------------------------------------------

void Hosts::open(NodeIndex node, Instant now, HeadEffects& out) {
  CHECK(of(node).state == State::waiting && !of(node).link);
  if (of(node).linked) return opener_.add(node, now);
  out.push_back(OpenLink{node});
}

void Hosts::go_on(Instant now, HeadEffects& out) {
  if (opener_.deadline() && !next_progress_) opening_since_ = now;
  if (opener_.deadline()) next_progress_ = now + kFirstProgress;
  open_due(now, out);
}

void Hosts::open_due(Instant now, HeadEffects& out) {
  for (const NodeIndex node : opener_.due(now)) {
    of(node).link = true;
    out.push_back(OpenLink{node});
  }
}

std::string Hosts::hint_for_silence(const model::Host& host) const {
  constexpr const char* kLonger = "--start-timeout SECONDS waits longer";
  if (host.carrier == model::kAsked) {
    return fmt::format("the head of the job around this launcher is to reach it; {}", kLonger);
  }
  if (host.carrier == model::kCalled) return "its agent has come; is that host overloaded?";
  if (host.carrier == model::kStep) {
    return fmt::format("is the host up? see `scontrol show node {}`; {}", host.name, kLonger);
  }
  if (host.carrier == model::kFakeNode)
    return fmt::format("is this machine overloaded? {}", kLonger);
  return fmt::format("is the host up, and does `{} true` return by itself? {}",
                     model::ByHand(options_.carrier, host).call(), kLonger);
}

std::vector<std::pair<NodeIndex, Error>> Hosts::overdue(Instant now) const {
  std::vector<std::pair<NodeIndex, Error>> found;
  for (const NodeIndex node : opener_.overdue(now)) {
    const std::string& host = name(node);
    found.emplace_back(node, Error{Fault::unreachable,
                                   fmt::format("{}: no answer within {:g} s", host,
                                               seconds(options_.carrier.patience)),
                                   hint_for_silence(of(node).host),
                                   {}});
  }
  return found;
}

void Hosts::up(NodeIndex node, Instant now) {
  Entry& host = of(node);
  if (host.state != State::waiting) return;
  host.state = State::up;
  host.heard = now;
  if (host.linked && !next_ping_) next_ping_ = now + options_.lease / 4;
}

std::optional<Error> Hosts::failed(LinkFailed& event, Instant now, HeadEffects& out) {
  of(event.node).link = false;
  of(event.node).last_error = event.error.what;
  if (!opener_.again(event.node, now, event.retry)) {
    settle(event.node);
    return std::move(event.error);
  }
  open_due(now, out);
  return std::nullopt;
}

void Hosts::tick(Instant now, HeadEffects& out) {
  open_due(now, out);
  tell_progress(now, out);
}

void Hosts::tell_progress(Instant now, HeadEffects& out) {
  if (!next_progress_ || now < *next_progress_) return;
  next_progress_ = now + kNextProgress;
  const std::vector<NodeIndex> waiting = opener_.waiting();
  if (waiting.empty()) return;
  const auto name_or_why = [&](std::size_t i) {
    const std::string& why = of(waiting[i]).last_error;
    return why.empty() ? name(waiting[i]) : why;
  };
  const std::string names = view::first_few(waiting.size(), name_or_why, "; ");
  auto told = waiting_.tell(fmt::format("waiting for {} of {} hosts to connect: {}", waiting.size(),
                                        hosts_.size(), names),
                            std::chrono::floor<Duration>(now - opening_since_));
  if (told) out.push_back(Say{std::move(*told)});
}

// With the last there is nothing left to tell of.
void Hosts::settle(NodeIndex node) {
  opener_.opened(node);
  if (opener_.idle()) next_progress_.reset();
}

std::optional<Instant> Hosts::next_opening() const {
  return base::sooner(opener_.deadline(), next_progress_);
}

// ---- greeting ---------------------------------------------------------------------------------

void Hosts::greet(const GreetHost& wish, NodeIndex node, RunIndex run, Instant now,
                  HeadEffects& out) {
  Entry& host = of(node);
  CHECK(host.state == State::up || host.state == State::greeted);
  host.heard = now;
  host.greeted_at[run] = now;
  host.pinged_at.erase(run);
  wire::Hello hello{wire::kProtocol,
                    wish.job,
                    wish.node,
                    static_cast<std::uint32_t>(options_.lease.count()),
                    static_cast<std::uint32_t>(options_.grace.count()),
                    wish.topology,
                    wish.ports};
  out.push_back(ToNode{node, std::move(hello), run});
}

base::Result<void> Hosts::welcome(NodeIndex node, RunIndex run, const wire::Welcome& message,
                                  Instant now, HeadEffects& out) {
  Entry& host = of(node);
  const auto greeted = host.greeted_at.extract(run);
  CHECK(!greeted.empty());
  settle(node);
  if (auto other = objection(host.host.name, message)) return tl::unexpected(std::move(*other));
  host.state = State::greeted;
  host.facts = message.facts;
  if (!host.linked) {
    host.clock.is_ours();
  } else if (message.came_us != 0) {
    host.clock.heard(greeted.mapped(), from_wire(message.came_us), from_wire(message.left_us), now);
  }
  open_due(now, out);
  return {};
}

void Hosts::answered(NodeIndex node, const model::HostFacts& facts, Instant now, HeadEffects& out) {
  Entry& host = of(node);
  settle(node);
  if (host.state == State::up) host.state = State::greeted;
  if (!host.facts) host.facts = facts;
  open_due(now, out);
}

// ---- keeping alive ----------------------------------------------------------------------------

void Hosts::heard(NodeIndex node, Instant now) {
  Entry& host = of(node);
  host.heard = now;
  host.is_told_busy = false;
}

// Every Ping is noted: their answers come in the same order.
void Hosts::ping(NodeIndex node, RunIndex run, Instant now, HeadEffects& out) {
  CHECK(of(node).state != State::waiting);
  of(node).pinged_at[run].push_back(now);
  out.push_back(ToNode{node, wire::Ping{}, run});
}

void Hosts::pong(NodeIndex node, RunIndex run, const wire::Pong& message, Instant now) {
  Entry& host = of(node);
  const auto pinged = host.pinged_at.find(run);
  if (message.at_us == 0 || pinged == host.pinged_at.end() || pinged->second.empty()) return;
  const Instant asked = pinged->second.front();
  pinged->second.pop_front();
  const Instant then = from_wire(message.at_us);
  if (host.linked) host.clock.heard(asked, then, then, now);
}

bool Hosts::beat(Instant now) {
  if (!next_ping_ || now < *next_ping_) return false;
  const Duration pause = options_.lease / 4;
  // One that comes this late means that we slept, and were not asked before.
  if (asleep_ || now > *next_ping_ + pause) forgive_silence(now);
  next_ping_ = now + pause;
  return true;
}

void Hosts::look_for_silent(NodeIndex node, Instant now, HeadEffects& out) const {
  const Entry& host = of(node);
  if (now < host.heard + options_.lease) return;
  out.push_back(
      LookForHost{node, host.facts ? host.facts->reached_at : std::string(), options_.lease});
}

std::optional<Error> Hosts::silent(const HostSeen& seen, Instant now, HeadEffects& out) {
  Entry& host = of(seen.node);
  const Duration limit = patience(options_.lease, seen.answers);
  const auto silence = [&](Duration time) {
    return fmt::format("{}: nothing heard for {:g} s", name(seen.node), seconds(time));
  };
  if (now >= host.heard + limit) {
    return Error{Fault::lost, silence(limit), seen.answers ? kSilentAgent : kSilentHost, {}};
  }
  if (now >= host.heard + options_.lease && !std::exchange(host.is_told_busy, true)) {
    out.push_back(Say{fmt::format("{}; the host itself answers, so muster waits up to {:g} s",
                                  silence(options_.lease), seconds(limit))});
  }
  return std::nullopt;
}

void Hosts::woke(Instant now) {
  asleep_ = false;
  forgive_silence(now);
}

void Hosts::forgive_silence(Instant now) {
  for (Entry& host : hosts_) host.heard = now;
}

// ---- closing ----------------------------------------------------------------------------------

void Hosts::dismiss(NodeIndex node, RunIndex run, wire::Bye bye, bool is_last, Instant now,
                    HeadEffects& out) {
  out.push_back(ToNode{node, std::move(bye), run});
  if (!is_last) return;
  settle(node);
  if (!of(node).link) return lost(node);
  of(node).state = State::leaving;
  of(node).leave_by = now + kLeaveTime;
  leaving_.insert(node);
}

// Others are tied to the head that has opened them.
bool Hosts::can_be_kept(NodeIndex node) const {
  const Entry& host = of(node);
  const model::Carrier& carrier = host.host.carrier;
  const bool is_own = carrier == model::kOpened || carrier == model::kFakeNode;
  return is_own && host.link && host.state == State::greeted;
}

void Hosts::keep(NodeIndex node, RunIndex run, HeadEffects& out) {
  out.push_back(ToNode{node, wire::Suspend{true}, run});
  out.push_back(KeepLink{node, run});
  lost(node);
}

bool Hosts::overstays(NodeIndex node, Instant now) const {
  return of(node).state == State::leaving && now >= of(node).leave_by;
}

std::optional<Instant> Hosts::next_leaving() const {
  std::optional<Instant> soonest;
  for (const NodeIndex node : leaving_) soonest = base::sooner(soonest, of(node).leave_by);
  return soonest;
}

void Hosts::lost(NodeIndex node) {
  settle(node);
  leaving_.erase(node);
  of(node).link = false;
  of(node).state = State::waiting;
  of(node).greeted_at.clear();
  of(node).pinged_at.clear();
}

void Hosts::close(NodeIndex node, HeadEffects& out) {
  const bool had_link = of(node).link;
  lost(node);
  if (had_link) out.push_back(CloseLink{node});
}

// ---- what is known ----------------------------------------------------------------------------

bool Hosts::any_link() const { return std::ranges::any_of(hosts_, &Entry::link); }

Hosts::Status Hosts::status(NodeIndex node) const {
  const Entry& host = of(node);
  std::size_t pings = 0;
  for (const auto& [run, asked] : host.pinged_at) pings += asked.size();
  return {host.state, host.link, host.heard, pings, host.last_error};
}

}  // namespace muster::machine
