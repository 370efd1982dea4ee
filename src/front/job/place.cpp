// Chooses the target of a job and reads its hosts.
#include "front/job/place.hpp"

#include <algorithm>

#include "front/job/batch.hpp"
#include "front/job/cluster.hpp"
#include "front/reach_options.hpp"
#include "job/target.hpp"
#include "job/values.hpp"
#include "job/yaml.hpp"
#include "spec/hosts.hpp"

namespace muster::front {
namespace {

using base::Result;

// What the command line says of a target, in the words of muster.yml.
job::Target typed_target(const JobDraft& draft) {
  job::Target target;
  if (draft.hosts.list) {
    target.name = "-H";
    target.hosts.push_back({*draft.hosts.list, {}, {}, true});
  } else if (!draft.hosts.file.empty()) {
    target.name = "--hostfile";
    target.hostfile = job::Text{draft.hosts.file, {}, {}, true};
  } else {
    target.name = "--fake-nodes";
    target.fake_nodes = job::Count{draft.fake_nodes, {}};
  }
  return target;
}

Result<job::Target> target_around(const Call& call) {
  const spec::Variable variables = [&](std::string_view name) { return variable(call, name); };
  const auto path = spec::path_around(variables);
  job::Target target;
  target.name = kAllocation;
  target.is_allocation = true;
  if (!path) {
    const auto found = given_hosts(call, {}, {});
    if (!found) return tl::unexpected(found.error());
    if (found->source.has_list) return target;
    return base::fail(base::Fault::usage,
                      "it is for commands in a batch job or below muster lead; -H names hosts",
                      "there is no allocation: no job around muster gives it hosts");
  }
  target.hostfile = job::Text{*path, {}, {}, true};
  for (const char* what : {"environment", "gpus"}) target.without.push_back({what, {}, {}, true});
  return target;
}

bool is_typed(const JobDraft& draft) { return !draft.hosts.empty() || draft.fake_nodes > 0; }

Result<job::Target> target_of(const Call& call, const JobDraft& draft, const WantedTarget& wanted,
                              const job::Targets& known) {
  if (is_typed(draft)) return typed_target(draft);
  const bool is_described =
      std::ranges::find(known.all, draft.target, &job::Target::name) != known.all.end();
  if (draft.target == kAllocation && !is_described) return target_around(call);
  const std::string_view instead = draft.validates ? "--target local" : "--target local, -H HOSTS";
  if (!draft.target.empty()) return job::choose_target(known, draft.target, instead);
  auto chosen = job::choose_target(known, wanted.name ? wanted.name->text : "", instead);
  if (!chosen && wanted.name) {
    chosen.error().place = {wanted.source, wanted.name->begin.line, wanted.name->begin.column};
  }
  return chosen;
}

// Reads the hosts of a target; a hostfile's path begins where it was written.
class HostReader {
 public:
  // `source`: the file that describes the target; empty for one of the command line.
  // `only_here`: a target without hosts is this machine, whatever the job around has.
  HostReader(const Call& call, std::string folder, std::string source, bool only_here)
      : call_(call),
        folder_(std::move(folder)),
        source_(std::move(source)),
        only_here_(only_here) {}

  Result<job::Place> place(job::Target target) {
    job::Place place{std::move(target), {}, {}};
    auto found = find(place.target);
    if (!found) return tl::unexpected(std::move(found.error()));
    place.found = std::move(*found);
    return place;
  }

 private:
  [[nodiscard]] Result<spec::HostsFound> find(const job::Target& target) const {
    if (!target.hosts.empty()) return listed(target);
    if (!target.hostfile) {
      return target.fake_nodes || only_here_ ? spec::HostsFound{} : around();
    }
    return hosts_in_file(call_, job::below(folder_, target.hostfile->text));
  }

  // A target that is this machine is, where a job around has hosts for it, these hosts.
  [[nodiscard]] Result<spec::HostsFound> around() const { return given_hosts(call_, {}, {}); }

  [[nodiscard]] Result<spec::HostsFound> listed(const job::Target& target) const {
    spec::HostsFound found{model::kHostsListed, source_.empty() ? target.name : source_, {}};
    for (const job::Text& text : target.hosts) {
      const base::Place at{found.name, text.begin.line, text.begin.column};
      auto read = spec::read_host_list(text.text);
      if (!read) {
        read.error().place = at;
        return tl::unexpected(std::move(read.error()));
      }
      for (model::HostEntry& host : *read) {
        host.place = at;
        found.hosts.push_back(std::move(host));
      }
    }
    return found;
  }

  const Call& call_;
  std::string folder_;
  std::string source_;
  bool only_here_;
};

// Those of the job that the target's system has started us in.
Result<job::Place> hosts_that_came(const Call& call, job::Target target, const job::Targets& known,
                                   const std::string& image) {
  auto found = given_hosts(call, {}, {});
  if (!found) return tl::unexpected(std::move(found.error()));
  if (!found->source.has_list) {
    return base::fail(base::Fault::usage, "muster submit hands the job over",
                      "there is no job around muster that gives it hosts");
  }
  return job::Place{std::move(target), *std::move(found), known.instance_types, image};
}

}  // namespace

Result<job::Place> place_of(const Call& call, const JobDraft& draft, const WantedTarget& wanted,
                            const job::Targets& known, std::uint32_t nodes) {
  auto target = target_of(call, draft, wanted, known);
  if (!target) return tl::unexpected(std::move(target.error()));
  if (auto fine = check_reach(target->reach, "", known.source); !fine) {
    return tl::unexpected(fine.error());
  }
  if (target->kubernetes) {
    if (auto fine = check_container(draft.container); !fine) return tl::unexpected(fine.error());
    return pods_of(call, std::move(*target), nodes);
  }
  for (const std::string& what : draft.without) target->without.push_back({what, {}, {}, true});
  if (target->batch) {
    target->without.push_back({"gpus", {}, {}, true});  // the system gives what is asked for
    if (call.is_queued_run) return hosts_that_came(call, *std::move(target), known, draft.image);
    job::Place place = hosts_to_come(*std::move(target), nodes);
    place.instance_types = known.instance_types;
    place.image = draft.image;
    return place;
  }
  const bool typed = is_typed(draft) || known.source.empty();
  const std::string from = typed ? call.current_folder : folder_of(known.source);
  const std::string described_in = is_typed(draft) ? "" : known.source;
  auto place =
      HostReader(call, from, described_in, draft.target == "local").place(std::move(*target));
  if (!place) return place;
  place->instance_types = known.instance_types;
  place->image = draft.image;
  return place;
}

}  // namespace muster::front
