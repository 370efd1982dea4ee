// Node 0 makes one job of what all nodes ask for; the others become its agents.
#include "cli/meet.hpp"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

#include "base/variables.hpp"
#include "cli/head_options.hpp"
#include "cli/recording.hpp"
#include "cli/speak.hpp"
#include "cli/tell.hpp"
#include "front/standing.hpp"
#include "head/guest.hpp"
#include "head/head.hpp"
#include "head/meeting.hpp"
#include "model/carriers.hpp"
#include "plan/environment.hpp"
#include "plan/plan.hpp"
#include "probe/probe.hpp"
#include "view/report.hpp"

namespace muster::cli {
namespace {

using base::Result;

head::MeetingEvents spoken() {
  return {[](const std::string& line) { say("muster: " + line + "\n"); }};
}

// Torchrun's codes: so far only its words ask for a meeting.
int refuse_meeting(const base::Error& error, const front::RunRequest& request) {
  (void)complain(error);
  return error.fault == base::Fault::usage ? request.refusal_code : 1;
}

Result<wire::Join> introduction(const front::RunRequest& request, const Invocation& invocation) {
  const model::App& app = request.spec.apps.front();
  wire::Join join{.version = MUSTER_VERSION,
                  .nodes = request.meeting->nodes,
                  .node = request.meeting->node,
                  .hostname = probe::hostname(),
                  .ranks = request.spec.per_node.value_or(1),
                  .role = app.role,
                  .command = app.command,
                  .workdir = app.workdir};
  return plan::forwarded(invocation.environment, app, request.spec.clean_env, plan::Machine::same)
      .map([&](const plan::Forwarded& all) {
        for (const model::Variable& one : all.kept) {
          if (plan::is_default(one.name)) join.environment.push_back({one.name, one.value});
        }
        return std::move(join);
      });
}

int take_part(const front::RunRequest& request, const Invocation& invocation) {
  const auto join = introduction(request, invocation);
  if (!join) return refuse_meeting(join.error(), request);
  auto connection = head::join_meeting(*request.meeting, *join, spoken());
  if (!connection) return refuse_meeting(connection.error(), request);
  const auto end = head::run_guest(
      {std::move(*connection), request.spec, invocation.environment, MUSTER_VERSION});
  if (!end) return complain(end.error());
  tell_around(invocation, {end->code, true, end->report});
  // The nodes of a job share one console: node 0 has said it there.
  const bool in_job = !base::value_of(invocation.environment, front::kLaunchers).empty();
  if (!in_job) say(end->report);
  return end->code;
}

// Two nodes may be one machine, or have one name.
std::string name_of(const std::string& hostname, const model::Inventory& others) {
  std::string name = hostname.empty() ? "node" : hostname;
  const auto is_taken = [&] {
    return std::ranges::find(others.hosts, name, &model::Host::name) != others.hosts.end();
  };
  if (is_taken()) name += fmt::format("#{}", others.hosts.size());
  return name;
}

// The job of all nodes: a program for each, in the order of nodes.
struct Whole {
  model::JobSpec spec;
  model::Inventory inventory;
  plan::Kept kept;
};

void add_node(Whole& whole, model::App app, const std::string& hostname,
              const model::Carrier& carrier) {
  model::Host host;
  host.name = name_of(hostname, whole.inventory);
  host.carrier = carrier;
  host.slots = app.ranks.value_or(1);
  app.hosts = {host.name};
  whole.inventory.hosts.push_back(std::move(host));
  whole.spec.apps.push_back(std::move(app));
}

// A guest keeps its own environment: it only told what muster must not override. What all ranks are
// told (MASTER_ADDR) comes from here.
Result<plan::Forwarded> kept_of(const wire::Join& join, const model::App& app) {
  std::vector<std::string> told;
  told.reserve(join.environment.size());
  for (const wire::NameValue& one : join.environment) {
    told.push_back(one.name + "=" + one.value);
  }
  return plan::forwarded(told, app, false, plan::Machine::same);
}

Result<Whole> whole_job(const front::RunRequest& request, const Invocation& invocation,
                        const std::vector<head::Guest>& guests) {
  Whole whole;
  whole.spec = request.spec;
  whole.inventory.source = model::HostSource::list;
  model::App own = std::move(whole.spec.apps.front());
  whole.spec.apps.clear();
  own.ranks = whole.spec.per_node.value_or(1);
  whole.spec.per_node.reset();
  auto kept =
      plan::forwarded(invocation.environment, own, whole.spec.clean_env, plan::Machine::same);
  if (!kept) return tl::unexpected(kept.error());
  whole.kept.same_machine.assign(guests.size() + 1, *kept);
  whole.kept.elsewhere.push_back(*kept);
  add_node(whole, own, probe::hostname(), model::kLocal);
  const probe::Cpus cpus = probe::cpus();
  whole.inventory.hosts.front().cpus = cpus.usable;
  whole.inventory.hosts.front().cpus_limited = cpus.limited;
  for (const head::Guest& guest : guests) {
    model::App app = own;
    app.command = guest.join.command;
    app.workdir = guest.join.workdir;
    app.role = guest.join.role;
    app.ranks = guest.join.ranks;
    auto own_kept = kept_of(guest.join, app);
    if (!own_kept) return tl::unexpected(own_kept.error());
    whole.kept.elsewhere.push_back(std::move(*own_kept));
    add_node(whole, std::move(app), guest.join.hostname, model::kJoined);
  }
  return whole;
}

int lead(const front::RunRequest& request, const Invocation& invocation,
         std::vector<head::Guest> guests) {
  auto whole = whole_job(request, invocation, guests);
  if (!whole) return refuse_meeting(whole.error(), request);
  auto placed = plan::place(whole->spec, whole->inventory);
  if (!placed) return refuse_meeting(placed.error(), request);
  const auto recorder = recorder_of(request, whole->spec, *placed, nullptr, invocation);
  head::HeadOptions options = head_options(invocation);
  if (recorder) options.told = heard_by(*recorder);
  options.input.spec = std::move(whole->spec);
  options.input.plan = std::move(*placed);
  options.input.kept = std::move(whole->kept);
  for (std::size_t i = 0; i < guests.size(); ++i) {
    options.joined[base::NodeIndex(i + 1)] = std::move(guests[i].connection);
  }
  const auto report = head::run_head(std::move(options));
  const int kept = recorder ? end_recording(*recorder, report) : 0;
  if (!report) return complain(report.error());
  return first_code(tell(*report, invocation, true), kept);
}

}  // namespace

int meet(const front::RunRequest& request, const Invocation& invocation) {
  const model::Meeting& meeting = *request.meeting;
  const bool leads = meeting.node ? *meeting.node == 0 : head::is_here(meeting.host);
  if (!leads) return take_part(request, invocation);
  auto guests = head::hold_meeting(meeting, spoken());
  if (guests) return lead(request, invocation, std::move(*guests));
  // Without numbers of their own, the first on a host leads, and others on the same host find that
  // it listens.
  const bool is_taken = guests.error().fault == base::Fault::cannot_start;
  if (!meeting.node && is_taken) return take_part(request, invocation);
  return refuse_meeting(guests.error(), request);
}

}  // namespace muster::cli
