// Makes one job of what all nodes ask for.
#include "plan/joined.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "model/carrier_joined.hpp"

namespace muster::plan {
namespace {

constexpr model::HostSource kMeeting = {.has_list = true, .carrier = model::kJoined};

// Two nodes may be one machine, or have one name.
std::string name_of(const std::string& hostname, const model::Inventory& others) {
  std::string name = hostname.empty() ? "node" : hostname;
  const auto known = std::ranges::find(others.hosts, name, &model::Host::name);
  if (known != others.hosts.end()) name += fmt::format("#{}", others.hosts.size());
  return name;
}

model::Host& add_node(JoinedJob& job, model::App app, const std::string& hostname) {
  model::Host host;
  host.name = name_of(hostname, job.inventory);
  host.carrier = kMeeting.carrier;
  host.slots = app.ranks.value_or(1);
  app.hosts = {host.name};
  job.spec.apps.push_back(std::move(app));
  return job.inventory.hosts.emplace_back(std::move(host));
}

}  // namespace

base::Result<JoinedJob> joined(const model::JobSpec& own, const ThisMachine& here,
                               std::span<const std::string> launching_shell,
                               const std::vector<JoinedNode>& nodes) {
  CHECK(own.apps.size() == 1);
  JoinedJob job{own, {{}, kMeeting, {}}, {}};
  job.spec.apps.clear();
  job.spec.per_node.reset();
  model::App app = own.apps.front();
  app.ranks = own.per_node.value_or(1);
  const auto kept = forwarded(launching_shell, app, own.environment, Machine::same);
  if (!kept) return tl::unexpected(kept.error());
  job.kept.same_machine.assign(nodes.size() + 1, *kept);
  job.kept.elsewhere.push_back(*kept);
  model::Host& first = add_node(job, app, here.hostname);
  first.carrier = model::kLocal;
  first.cpus = here.cpus;
  app.clean = false;  // each node has said what goes along
  for (const JoinedNode& node : nodes) {
    app.command = node.command;
    app.workdir = node.workdir;
    app.role = node.role;
    app.ranks = node.ranks;
    auto told = forwarded(node.environment, app, own.environment, Machine::same);
    if (!told) return tl::unexpected(told.error());
    job.kept.elsewhere.push_back(std::move(*told));
    (void)add_node(job, app, node.hostname);
  }
  return job;
}

}  // namespace muster::plan
