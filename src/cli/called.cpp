// Meets, then is the head of a command, or an agent.
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
  return {[](const std::string& line) { say("muster: " + line + "\n"); }};
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

std::string hostfile_of(const std::vector<std::string>& names,
                        const std::optional<std::uint32_t>& slots) {
  std::string text;
  for (const std::string& name : names) {
    text += slots ? fmt::format("{} slots={}\n", name, *slots) : name + "\n";
  }
  return text;
}

// The head around, if there is one, does not know these hosts.
std::vector<std::string> without_head_above(const std::vector<std::string>& environment) {
  std::vector<std::string> own;
  for (const std::string& one : environment) {
    if (!one.starts_with(std::string(model::kHeadAbove) + "=")) own.push_back(one);
  }
  return own;
}

int run_command(const front::CalledRequest& request, std::vector<head::Guest> guests,
                const Invocation& invocation) {
  const std::vector<std::string> names = names_of(request, guests);
  model::JobSpec spec = request.spec;
  spec.hostfile = hostfile_of(names, request.slots);
  const auto environment = without_head_above(invocation.environment);
  auto job = inventory_of(spec, {}).and_then([&](model::Inventory inventory) {
    return prospect(std::move(spec), std::move(inventory), environment);
  });
  if (!job) return refuse(job.error(), 0, invocation);
  head::HeadOptions options = head_options(invocation);
  options.environment = environment;
  options.input.spec = std::move(job->spec);
  options.input.plan = std::move(job->plan);
  options.input.kept = std::move(job->kept);
  options.input.holds_spare = true;
  for (std::size_t i = 0; i < guests.size(); ++i) {
    options.input.plan.spare.push_back(called_host(names[i], request.slots));
    const NodeIndex host(options.input.plan.nodes.size() + i);
    options.joined[host] = std::move(guests[i].connection);
  }
  const auto report = head::run_head(std::move(options));
  if (!report) return complain(report.error());
  return tell(*report, invocation, true);
}

int lead_command(const front::CalledRequest& request, const model::Meeting& meeting,
                 const Invocation& invocation) {
  auto guests = head::hold_meeting(meeting, told_here(), machine::kCalledHosts);
  if (!guests) return refuse(guests.error(), 0, invocation);
  return run_command(request, std::move(*guests), invocation);
}

}  // namespace

int called(const front::CalledRequest& request, const Invocation& invocation) {
  model::Meeting meeting = request.meeting;
  auto secret = read_secret_file(request.secret_file);
  if (!secret) return complain(secret.error());
  meeting.secret = "called " + *secret;
  process::leave_first_process();
  say_when_ended();
  return request.leads ? lead_command(request, meeting, invocation)
                       : join_head(meeting, invocation);
}

}  // namespace muster::cli
