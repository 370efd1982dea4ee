// Chooses the target of a job and reads its hosts.
#include "front/job/place.hpp"

#include "job/target.hpp"
#include "job/values.hpp"
#include "job/yaml.hpp"
#include "spec/hosts.hpp"

namespace muster::front {
namespace {

using base::Result;

std::vector<std::string> places_of_targets(const Call& call, const std::string& folder) {
  std::vector<std::string> places = {folder + "/muster.yml", call.current_folder + "/muster.yml"};
  const auto configuration = variable(call, "XDG_CONFIG_HOME");
  const auto home = variable(call, "HOME");
  if (configuration && !configuration->empty()) {
    places.push_back(std::string(*configuration) + "/muster/muster.yml");
  } else if (home && !home->empty()) {
    places.push_back(std::string(*home) + "/.config/muster/muster.yml");
  }
  return places;
}

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

bool is_typed(const JobDraft& draft) { return !draft.hosts.empty() || draft.fake_nodes > 0; }

Result<job::Target> target_of(const JobDraft& draft, const WantedTarget& wanted,
                              const job::Targets& known) {
  if (is_typed(draft)) return typed_target(draft);
  if (!draft.target.empty()) return job::choose_target(known, draft.target);
  auto chosen = job::choose_target(known, wanted.name ? wanted.name->text : "");
  if (!chosen && wanted.name) {
    chosen.error().place = {wanted.source, wanted.name->begin.line, wanted.name->begin.column};
  }
  return chosen;
}

// Reads the hosts of a target; a hostfile's path begins where it was written.
class HostReader {
 public:
  // `source`: the file that describes the target; empty for one of the command line.
  HostReader(const Call& call, std::string folder, std::string source)
      : call_(call), folder_(std::move(folder)), source_(std::move(source)) {}

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
    if (!target.hostfile) return spec::HostsFound{};
    return hosts_in_file(call_, job::below(folder_, target.hostfile->text));
  }

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
};

}  // namespace

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<job::TargetsReading> known_targets(const Call& call, const std::string& folder) {
  for (const std::string& place : places_of_targets(call, folder)) {
    if (!call.has_file(place)) continue;
    auto text = call.read_file(place, job::kFileMax);
    if (!text) return tl::unexpected(std::move(text.error()));
    return job::read_targets(*text, place);
  }
  return job::TargetsReading{};
}

Result<job::Place> place_of(const Call& call, const JobDraft& draft, const WantedTarget& wanted,
                            const job::Targets& known) {
  auto target = target_of(draft, wanted, known);
  if (!target) return tl::unexpected(std::move(target.error()));
  for (const std::string& what : draft.without) target->without.push_back({what, {}, {}, true});
  const bool typed = is_typed(draft) || known.source.empty();
  const std::string from = typed ? call.current_folder : folder_of(known.source);
  const std::string described_in = is_typed(draft) ? "" : known.source;
  auto place = HostReader(call, from, described_in).place(std::move(*target));
  if (place) place->instance_types = known.instance_types;
  return place;
}

}  // namespace muster::front
