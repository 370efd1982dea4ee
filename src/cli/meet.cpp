// Node 0 makes one job of what all nodes ask for; the others become its agents.
#include "cli/meet.hpp"

#include <unistd.h>

#include "base/variables.hpp"
#include "cli/own_user.hpp"
#include "cli/speak.hpp"
#include "cli/tell.hpp"
#include "front/inherited.hpp"
#include "head/guest.hpp"
#include "head/meeting.hpp"
#include "plan/environment.hpp"
#include "probe/probe.hpp"

namespace muster::cli {
namespace {

using base::Result;

head::MeetingEvents spoken() {
  return {[](const std::string& line) { note(line); }};
}

int refuse_meeting(const base::Error& error, const front::RunRequest& request,
                   const Invocation& invocation) {
  return refuse(error, request.refusal_code, invocation);
}

wire::Join introduction(const front::RunRequest& request, const plan::Forwarded& forwarded,
                        const std::vector<std::string>& environment) {
  const model::App& app = request.spec.apps.front();
  wire::Join join{.version = MUSTER_VERSION,
                  .nodes = request.meeting->nodes,
                  .node = request.meeting->node,
                  .hostname = probe::hostname(),
                  .ranks = request.spec.per_node.value_or(1),
                  .role = app.role,
                  .command = app.command,
                  .workdir = app.workdir,
                  .user = own_user(environment)};
  for (const model::Variable& one : forwarded.kept) {
    if (plan::is_default(one.name)) join.environment.push_back({one.name, one.value});
  }
  return join;
}

int take_part(const front::RunRequest& request, const Invocation& invocation) {
  const auto forwarded = plan::forwarded(invocation.environment, request.spec.apps.front(),
                                         request.spec.environment, plan::Machine::same);
  if (!forwarded) return refuse_meeting(forwarded.error(), request, invocation);
  const wire::Join join = introduction(request, *forwarded, invocation.environment);
  auto connection = head::join_meeting(*request.meeting, join, spoken());
  if (!connection) return refuse_meeting(connection.error(), request, invocation);
  if (request.spec.verbose) tell_withheld(forwarded->withheld);
  const auto end = head::run_guest(
      {std::move(*connection), request.spec, invocation.environment, MUSTER_VERSION});
  if (!end) return complain(end.error());
  tell_around(invocation, {end->code, true, end->report});
  // The nodes of a job share one console: node 0 has said it there.
  const bool in_job = !base::value_of(invocation.environment, front::kLaunchers).empty();
  if (!in_job) say(end->report);
  return end->code;
}

plan::JoinedNode joined_node(const wire::Join& join) {
  plan::JoinedNode node{join.hostname, join.command, join.workdir, join.role, join.ranks, {}};
  for (const wire::NameValue& one : join.environment) {
    node.environment.push_back(one.name + "=" + one.value);
  }
  return node;
}

Result<Joined> lead(const front::RunRequest& request, const Invocation& invocation,
                    std::vector<head::Guest> guests) {
  plan::ThisMachine here;
  here.hostname = probe::hostname();
  here.cpus = probe::cpus();
  std::vector<plan::JoinedNode> nodes;
  Joined joined;
  for (head::Guest& guest : guests) {
    nodes.push_back(joined_node(guest.join));
    joined.connections[base::NodeIndex(nodes.size())] = std::move(guest.connection);
  }
  return plan::joined(request.spec, here, invocation.environment, nodes).map([&](auto job) {
    joined.job = std::move(job);
    return std::move(joined);
  });
}

}  // namespace

std::variant<int, Joined> meet(const front::RunRequest& request, const Invocation& invocation) {
  const model::Meeting& meeting = *request.meeting;
  const bool leads = meeting.node ? *meeting.node == 0 : head::is_here(meeting.host);
  if (!leads) return take_part(request, invocation);
  auto guests = head::hold_meeting(meeting, spoken());
  // Without numbers of their own, the first on a host leads, and others on the same host find that
  // it listens.
  const bool is_taken = !guests && guests.error().fault == base::Fault::cannot_start;
  if (!meeting.node && is_taken) return take_part(request, invocation);
  if (!guests) return refuse_meeting(guests.error(), request, invocation);
  auto joined = lead(request, invocation, std::move(*guests));
  if (!joined) return refuse_meeting(joined.error(), request, invocation);
  return std::move(*joined);
}

}  // namespace muster::cli
