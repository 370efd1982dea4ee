// Meets, or opens hosts, then is the head of a command; or meets, then is an agent.
#include "cli/called.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <set>
#include <string_view>
#include <unistd.h>

#include "base/variables.hpp"
#include "cli/head_options.hpp"
#include "cli/inventory.hpp"
#include "cli/prospect.hpp"
#include "cli/secret_file.hpp"
#include "cli/speak.hpp"
#include "cli/tell.hpp"
#include "front/inherited.hpp"
#include "head/head.hpp"
#include "head/meeting.hpp"
#include "host/agent.hpp"
#include "model/carriers.hpp"
#include "model/head_above.hpp"
#include "probe/probe.hpp"
#include "process/first_process.hpp"
#include "spec/host_word.hpp"

namespace muster::cli {
namespace {

using base::NodeIndex;

head::MeetingEvents told_here() {
  return {[](const std::string& line) { note(line); }};
}

// Until others handle signals: whoever waits says so much.
void end_with_a_word(int number) {
  constexpr std::string_view kWord = "muster: ended by a signal while waiting\n";
  (void)!::write(STDERR_FILENO, kWord.data(), kWord.size());
  ::signal(number, SIG_DFL);
  ::raise(number);
}

void say_when_ended() {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction action {};
    ::sigaction(number, nullptr, &action);
    if (action.sa_handler == SIG_DFL) ::signal(number, end_with_a_word);
  }
}

// ---- join ---------------------------------------------------------------------------------------

int join_head(const model::Meeting& meeting, const Invocation& invocation) {
  const wire::Join introduction{.version = MUSTER_VERSION,
                                .nodes = meeting.nodes,
                                .node = meeting.node,
                                .hostname = probe::hostname(),
                                .called = true};
  auto connection = head::join_meeting(meeting, introduction, told_here(), machine::kCalledHosts);
  if (!connection) return complain(connection.error());
  return host::run_called_agent(std::move(*connection), invocation.environment, MUSTER_VERSION);
}

// ---- lead ---------------------------------------------------------------------------------------

bool is_host_name(const std::string& name) {
  const auto word = spec::read_host_word(name, base::Fault::usage);
  return word && word->user.empty() && !word->slots && !word->slots_are_cores && word->name == name;
}

// As hosts call themselves, where that tells them apart, from this machine too: launchers here
// would take its own name for this machine.
std::vector<std::string> names_of(const front::CalledRequest& request,
                                  const std::vector<head::Guest>& guests) {
  if (!request.names.empty()) return request.names;
  std::vector<std::string> names;
  names.reserve(guests.size());
  for (const head::Guest& guest : guests) names.push_back(guest.join.hostname);
  const std::vector<std::string> here = probe::local_names(names);
  std::multiset<std::string> taken(names.begin(), names.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& own = guests[i].join.hostname;
    const bool fits =
        is_host_name(own) && std::ranges::count(here, own) == 0 && taken.count(own) == 1;
    if (fits) continue;
    const std::string stem = is_host_name(own) ? own : "host";
    std::string name = fmt::format("{}-{}", stem, i);
    while (taken.contains(name)) name += "x";
    taken.insert(name);
    names[i] = std::move(name);
  }
  return names;
}

model::Host called_host(const std::string& name, const std::optional<std::uint32_t>& slots) {
  model::Host host;
  host.name = name;
  host.carrier = model::kCalled;
  host.slots = slots.value_or(1);
  return host;
}

// What the command may use, and what launchers in it read of that.
struct HeldHosts {
  std::string hostfile;
  std::vector<model::Host> hosts;              // on other machines
  std::vector<process::UniqueFd> connections;  // of hosts that have come, in the same order
};

std::string host_line(const std::string& name, const std::optional<std::uint32_t>& slots) {
  return slots ? fmt::format("{} slots={}\n", name, *slots) : name + "\n";
}

HeldHosts hosts_that_came(const front::CalledRequest& request, std::vector<head::Guest> guests) {
  HeldHosts held;
  const std::vector<std::string> names = names_of(request, guests);
  for (std::size_t i = 0; i < guests.size(); ++i) {
    held.hostfile += host_line(names[i], request.slots);
    held.hosts.push_back(called_host(names[i], request.slots));
    held.connections.push_back(std::move(guests[i].connection));
  }
  return held;
}

base::Result<HeldHosts> hosts_to_open(const front::CalledRequest& request,
                                      const std::vector<std::string>& environment) {
  const bool are_said = std::ranges::any_of(
      request.spec.hosts, [](const model::HostEntry& one) { return one.slots.has_value(); });
  return inventory_of(request.spec, {}, environment).map([&](model::Inventory inventory) {
    HeldHosts held;
    for (model::Host& host : inventory.hosts) {
      if (request.slots) host.slots = *request.slots;
      const bool tells = request.slots || are_said;
      held.hostfile += host_line(host.name, tells ? std::optional(host.slots) : std::nullopt);
      if (!host.carrier.is_this_machine()) held.hosts.push_back(std::move(host));
    }
    return held;
  });
}

// The head around, if there is one, does not know these hosts.
std::vector<std::string> without_head_above(const std::vector<std::string>& environment) {
  std::vector<std::string> own;
  for (const std::string& one : environment) {
    if (!one.starts_with(std::string(model::kHeadAbove) + "=")) own.push_back(one);
  }
  return own;
}

model::JobSpec command_of(const front::CalledRequest& request, std::string hostfile) {
  model::JobSpec spec = request.spec;
  spec.hosts.clear();
  spec.source = model::kHostsHere;
  spec.source_name.clear();
  spec.hostfile = std::move(hostfile);
  return spec;
}

int run_command(const front::CalledRequest& request, HeldHosts held, const Invocation& invocation) {
  model::JobSpec spec = command_of(request, std::move(held.hostfile));
  const auto environment =
      request.opens ? invocation.environment : without_head_above(invocation.environment);
  auto job = inventory_of(spec, {}, environment).and_then([&](model::Inventory inventory) {
    return prospect(std::move(spec), std::move(inventory), environment);
  });
  if (!job) return refuse(job.error(), 0, invocation);
  head::HeadOptions options = head_options(invocation);
  options.environment = environment;
  options.input.spec = std::move(job->spec);
  options.input.plan = std::move(job->plan);
  options.input.kept = std::move(job->kept);
  options.input.holds_spare = true;
  const std::size_t first = options.input.plan.nodes.size();
  for (std::size_t i = 0; i < held.connections.size(); ++i) {
    options.joined[NodeIndex(first + i)] = std::move(held.connections[i]);
  }
  std::ranges::move(held.hosts, std::back_inserter(options.input.plan.spare));
  const auto report = invocation.heads.run(std::move(options));
  if (!report) return complain(report.error());
  return tell(*report, invocation, true);
}

int lead_opened(const front::CalledRequest& request, const Invocation& invocation) {
  auto held = hosts_to_open(request, invocation.environment);
  if (!held) return refuse(held.error(), 0, invocation);
  return run_command(request, *std::move(held), invocation);
}

int lead_called(const front::CalledRequest& request, const model::Meeting& meeting,
                const Invocation& invocation) {
  auto guests = head::hold_meeting(meeting, told_here(), machine::kCalledHosts);
  if (!guests) return refuse(guests.error(), 0, invocation);
  return run_command(request, hosts_that_came(request, *std::move(guests)), invocation);
}

}  // namespace

int called(const front::CalledRequest& request, const Invocation& invocation) {
  if (request.opens) {
    process::leave_first_process();
    return lead_opened(request, invocation);
  }
  model::Meeting meeting = request.meeting;
  auto secret = read_secret_file(request.secret_file);
  if (!secret) return complain(secret.error());
  meeting.secret = "called " + *secret;
  process::leave_first_process();
  say_when_ended();
  return request.leads ? lead_called(request, meeting, invocation) : join_head(meeting, invocation);
}

}  // namespace muster::cli
