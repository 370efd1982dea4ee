// Passes links from head to head.
#include "head/kept_links.hpp"

#include <algorithm>

#include "machine/hosts.hpp"
#include "process/alarm.hpp"

namespace muster::head {
namespace {

bool is_same_host(const model::Host& one, const model::Host& other) {
  return one.name == other.name && one.user == other.user && one.port == other.port &&
         one.carrier == other.carrier;
}

// Tells the run that has kept the agent to end, once the agent has another one: with none it would
// end itself.
HostLinkEvents after_first_answer(HostLink& link, base::RunIndex kept, base::NodeIndex number,
                                  const HostLinkEvents& events) {
  HostLinkEvents first = events;
  first.message = [&link, kept, number, events](base::RunIndex run, wire::ToHead message) {
    if (run == kept) return;  // its last words
    link.send(kept, wire::Bye{});
    const auto heard = events.message;
    (void)link.pass_on(number, events);
    heard(run, std::move(message));
  };
  return first;
}

}  // namespace

void KeptLinks::look() {
  loop_.restart();
  loop_.poll();
  std::erase_if(kept_, [](const Kept& one) { return one.ended; });
  loop_.restart();
}

void KeptLinks::keep(const model::Host& host, const model::CarrierSpec& carrier,
                     base::NodeIndex number, base::RunIndex run, std::unique_ptr<HostLink> link) {
  Kept& kept = kept_.emplace_back(Kept{host, carrier, run, std::move(link)});
  HostLinkEvents events;
  events.up = [] {};
  events.message = [](base::RunIndex, const wire::ToHead&) {};
  events.output = [](base::RunIndex, const wire::OutputView&) {};
  events.ended = [&kept](const link::Diagnosis&) { kept.ended = true; };
  if (!kept.link->pass_on(number, events)) kept_.pop_back();
}

std::unique_ptr<HostLink> KeptLinks::take(const model::Host& host,
                                          const model::CarrierSpec& carrier, base::NodeIndex number,
                                          const HostLinkEvents& events) {
  const auto found = std::ranges::find_if(kept_, [&](const Kept& one) {
    return !one.ended && is_same_host(one.host, host) && one.carrier == carrier;
  });
  if (found == kept_.end()) return nullptr;
  std::unique_ptr<HostLink> link = std::move(found->link);
  (void)link->pass_on(number, after_first_answer(*link, found->run, number, events));
  kept_.erase(found);
  return link;
}

void KeptLinks::say_goodbye() {
  look();
  if (kept_.empty()) return;
  for (Kept& one : kept_) one.link->send(one.run, wire::Bye{});
  process::Alarm late(loop_);
  bool is_late = false;
  late.after(machine::kLeaveTime, [&] { is_late = true; });
  const auto all_ended = [&] { return std::ranges::all_of(kept_, &Kept::ended); };
  while (!is_late && !all_ended() && loop_.run_one() > 0) {
  }
  kept_.clear();
}

}  // namespace muster::head
