// Lays a job out over the nodes of a target.
#include "job/job_spec.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "job/container_of.hpp"
#include "job/environment_rule.hpp"
#include "job/head_launcher.hpp"
#include "job/names.hpp"
#include "job/number.hpp"
#include "spec/in_quotes.hpp"
#include "spec/notice.hpp"
#include "spec/roles.hpp"

namespace muster::job {
namespace {

using spec::in_quotes;

// ---- what the target must give ----

void check_code(const JobFile& job, Complaints& complaints) {
  if (!job.code || !is_elsewhere(job.code->text)) return;
  complaints.add(
      job.code->begin,
      fmt::format("the code is where muster cannot reach it: {}", in_quotes(job.code->text)),
      "copy it to this machine first, and give its folder");
}

void check_gpus(const JobFile& job, const Target& target, Complaints& complaints) {
  if (goes_without(target, "gpus")) return;
  const std::uint32_t has = target.gpus ? target.gpus->number : 0;
  for (const Limits* limits : {&job.limits, &job.workers.limits, &job.servers.limits}) {
    if (!limits->gpu || limits->gpu->number <= has) continue;
    complaints.add(limits->gpu->begin,
                   fmt::format("the job needs {} GPUs on each node, and those of target {} have {}",
                               limits->gpu->number, in_quotes(target.name), has),
                   "muster.yml says what they have (gpus: N); to run without: --without gpus");
  }
}

Mark mark_of_nodes(const JobFile& job) {
  for (const auto& count : {job.nodes, job.instances, job.workers.count}) {
    if (count) return count->begin;
  }
  return {};
}

void complain_of_nodes(const JobFile& job, const Layout& layout, const Target& target,
                       std::size_t has, Complaints& complaints) {
  const std::string hint =
      has == 1 && target.hosts.empty() && !target.hostfile
          ? fmt::format("to rehearse it on this machine: --fake-nodes {}", layout.nodes)
          : "choose a target with more nodes, or request fewer";
  complaints.add(mark_of_nodes(job),
                 fmt::format("the job needs {} nodes, and target {} has {}", layout.nodes,
                             in_quotes(target.name), has),
                 hint);
}

// ---- nodes ----

std::size_t distinct(const std::vector<model::HostEntry>& hosts) {
  std::set<std::string> names;
  for (const model::HostEntry& host : hosts) names.insert(host.name);
  return names.size();
}

std::size_t nodes_of(const Place& place) {
  if (!place.found.hosts.empty()) return distinct(place.found.hosts);
  return place.target.fake_nodes ? place.target.fake_nodes->number : 1;
}

// The entries of the first so many hosts, with as many slots as the job needs there: those that a
// host has beyond are not the job's, unless the job leaves their number open.
std::vector<model::HostEntry> first_hosts(const Place& place, const Layout& layout) {
  const std::uint32_t nodes = layout.nodes;
  const std::uint32_t said = std::max(layout.per_node, layout.slots);
  const std::uint32_t slots = layout.guesses_slots ? model::kRanksMax : said;
  std::map<std::string, std::uint32_t> taken;
  std::vector<model::HostEntry> chosen;
  const std::uint32_t unsaid = place.target.slots ? place.target.slots->number : said;
  for (const model::HostEntry& host : place.found.hosts) {
    if (taken.size() == nodes && !taken.contains(host.name)) continue;
    std::uint32_t& before = taken[host.name];
    if (before >= slots) continue;
    chosen.push_back(host);
    if (host.slots_are_cores) continue;
    const std::uint32_t has = std::min(host.slots.value_or(unsaid), slots - before);
    chosen.back().slots = has;
    before += has;
  }
  return chosen;
}

// Processes of a job without roles: those with roles may share slots.
void check_slots(const JobFile& job, const Made& made, const Target& target,
                 Complaints& complaints) {
  const auto open = [](const model::HostEntry& host) { return !host.slots; };
  const std::vector<model::HostEntry>& hosts = made.spec.hosts;
  const bool counts = !hosts.empty() && std::ranges::none_of(hosts, open);
  if (!counts || made.spec.oversubscribe || made.layout.parts.size() > 1) return;
  std::uint64_t slots = 0;
  for (const model::HostEntry& host : hosts) slots += *host.slots;
  const std::uint32_t processes = made.layout.parts.front().processes;
  if (processes <= slots) return;
  complaints.add(
      mark_of_nodes(job),
      fmt::format("the job has {} processes for {} nodes, and those of target {} have {} slots",
                  processes, made.layout.nodes, in_quotes(target.name), slots),
      "give the hosts more slots (HOST:N), request fewer processes, or set oversubscribe: true in "
      "muster.yml");
}

void choose_nodes(const JobFile& job, const Place& place, Made& made, Complaints& complaints) {
  model::JobSpec& spec = made.spec;
  const Target& target = place.target;
  const std::size_t has = nodes_of(place);
  if (share_nodes(job, has, made.layout)) {
    made.notices.push_back(
        fmt::format("parameter servers share the {} nodes of target {} with the workers", has,
                    in_quotes(target.name)));
  }
  spec.oversubscribe = target.oversubscribe;
  if (made.layout.shares) spec.mapping.map_by = model::MapBy::node;
  if (!place.found.hosts.empty()) {
    spec.source = place.found.source;
    spec.source_name = place.found.name;
    spec.hosts = first_hosts(place, made.layout);
  } else if (target.fake_nodes) {
    spec.fake_nodes = made.layout.nodes;
  }
  if (made.layout.nodes > has) {
    complain_of_nodes(job, made.layout, target, has, complaints);
  } else {
    check_slots(job, made, target, complaints);
  }
}

// ---- programs ----

// Before a command whose exit codes are all a success: those above 128 tell of a signal.
constexpr const char* kAnyCode = "trap 'code=$?; [ $code -gt 128 ] || exit 0' EXIT\n";

class Programs {
 public:
  Programs(const JobFile& job, const Values& values, std::string workdir)
      : job_(job), values_(values), workdir_(std::move(workdir)) {}

  model::App app(const Part& part) {
    model::App app;
    app.role = part.role;
    app.ranks = part.processes;
    app.workdir = workdir_;
    app.command = command();
    add(app, job_.variables);
    if (part.settings != nullptr) add(app, part.settings->variables);
    return app;
  }

 private:
  // An input that got no value has been complained about.
  std::string filled(const Text& text) {
    return expand(text.text, job_.dialect, values_).value_or("");
  }

  // A text is expanded by a shell for each process, with that process's variables.
  std::vector<std::string> command() {
    if (job_.command)
      return {"bash", "-c", (job_.any_code ? kAnyCode : "") + filled(*job_.command)};
    std::vector<std::string> words;
    for (const Text& word : job_.words) words.push_back(filled(word));
    return words;
  }

  void add(model::App& app, const std::vector<Named>& variables) {
    for (const Named& variable : variables) {
      app.exports.push_back({variable.name, filled(variable.value)});
    }
  }

  const JobFile& job_;
  const Values& values_;
  std::string workdir_;
};

void settle_roles(const JobFile& job, model::JobSpec& spec, Complaints& complaints) {
  if (spec.apps.empty() || spec.apps.front().role.empty()) return;
  const auto settled = spec::settle_roles(spec);
  if (!settled) complaints.add(mark_of_nodes(job), settled.error().what, settled.error().hint);
}

void tell_outputs(const JobFile& job, const Values& values, Made& made) {
  for (const Output& output : job.outputs) {
    if (!output.path || says_path(output)) continue;
    made.notices.push_back(fmt::format(
        "outputs.{}.path has no effect here: muster cannot reach {}; the output lies in {} (choose "
        "a place with {})",
        output.name, in_quotes(output.path->text), values.outputs.find(output.name)->second,
        how_to_say(Asset::data, output.path->text)));
  }
}

void tell_base(const JobFile& job, const Place& place, Made& made) {
  const bool has_image = made.spec.container || place.target.kubernetes;
  if (has_image || goes_without(place.target, "environment") || !is_base_of_packages(job)) return;
  made.notices.push_back(fmt::format(
      "the image {} is not used: it is only what Azure ML installs packages on, and the hosts get "
      "those of conda_file themselves",
      in_quotes(job.image->text)));
}

void tell_guess(const JobFile& job, const Place& place, Made& made) {
  const auto says = [](const model::HostEntry& host) { return host.slots.has_value(); };
  const auto& hosts = place.found.hosts;
  const bool hosts_say = !hosts.empty() && std::ranges::all_of(hosts, says);
  const bool is_told = hosts_say || place.target.slots;
  if (!job.instance_type || !made.layout.guesses_slots || is_told) return;
  const std::string& type = job.instance_type->text;
  made.notices.push_back(fmt::format(
      "instance_type {} is not known: each node takes one process; to have more, write {}: N in "
      "the job file, or instance_types: {{{}: N}} in muster.yml",
      in_quotes(type), job.dialect == Dialect::draft ? "slots_per" : "process_count_per_instance",
      type));
}

bool has_any(const Limits& limits) { return limits.cpu || limits.memory || limits.gpu; }

// What only pods have a use for.
void tell_pods(const JobFile& job, Made& made) {
  if (has_any(job.launcher)) {
    made.notices.emplace_back(
        "the launcher's limits have no effect here: it has no machine of its own");
  }
  for (const Named& where : job.infrastructure) {
    made.notices.push_back(
        fmt::format("compute.{} has no effect here: muster.yml says what a target is", where.name));
  }
  if (job.shared_memory && !made.spec.container) {
    made.notices.emplace_back(
        "resources.shm_size has no effect here: processes use the /dev/shm of their host");
  }
  if (!job.docker_args.empty() && !made.spec.container) {
    made.notices.emplace_back(
        "the job's docker arguments have no effect here: it runs without a container");
  }
}

void tell(const JobFile& job, const Target& target, Made& made) {
  const bool has_pods = target.kubernetes || target.is_allocation || target.batch;
  if (!has_pods) tell_pods(job, made);
  for (const Limits* limits : {&job.limits, &job.workers.limits, &job.servers.limits}) {
    if (has_pods || (!limits->cpu && !limits->memory)) continue;
    made.notices.emplace_back(
        "limits for cpu and memory have no effect here: processes share what their host has");
    break;
  }
  if (made.layout.launches && job.dialect != Dialect::draft) {
    made.notices.push_back(
        fmt::format("the command runs once, on this machine: {} in it starts the ranks on the "
                    "job's nodes",
                    head_launcher(job)));
  }
  if (job.frameworks.empty() && job.nodes && job.nodes->number > 1) {
    made.notices.emplace_back(
        "the job asks for several nodes without a distribution: its command runs once, on one");
  }
}

std::optional<base::Duration> timeout_of(const JobFile& job) {
  const auto seconds = job.timeout ? number_of(job.timeout->text) : std::nullopt;
  if (!seconds) return std::nullopt;
  constexpr double kMost = 365.0 * 24 * 3600;
  const auto ms = static_cast<std::int64_t>(std::min(*seconds, kMost) * 1000);
  return std::chrono::milliseconds(std::max<std::int64_t>(1, ms));
}

// A job of Slurm's has an end; whether it is known, only the run finds out.
bool has_outer_end(const Place& place) {
  const auto& batch = place.target.batch;
  return (batch && batch->kind == "slurm") || place.found.source == model::kHostsAllocated;
}

void set_notice(const JobFile& job, const Place& place, model::JobSpec& spec,
                Complaints& complaints) {
  if (!job.notice) return;
  const auto notice = spec::read_notice(job.notice->text);
  if (!notice) {
    return complaints.add(job.notice->begin, "notice " + notice.error().what, notice.error().hint);
  }
  spec.notice = *notice;
  if (!spec.timeout && has_outer_end(place)) return;
  const auto fits = spec::check_notice(spec.notice, spec.timeout);
  if (!fits) complaints.add(job.notice->begin, fits.error().what, fits.error().hint);
}

// In which outputs lie, or which they are; each once.
std::vector<std::string> folders_of(const JobFile& job, const Values& values) {
  std::vector<std::string> folders;
  for (const Output& output : job.outputs) {
    const std::string& path = values.outputs.find(output.name)->second;
    std::string folder = is_file(output) ? path.substr(0, path.rfind('/')) : path;
    if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(std::move(folder));
  }
  return folders;
}

}  // namespace

Made make_spec(const JobFile& job, const Values& values, const Place& place,
               const std::string& folder, Complaints& complaints) {
  Made made;
  made.layout = layout_of(job, place.instance_types);
  check_code(job, complaints);
  check_gpus(job, place.target, complaints);
  choose_nodes(job, place, made, complaints);
  Programs programs(job, values, job.code ? below(folder, job.code->text) : folder);
  made.spec.apps.clear();
  for (const Part& part : made.layout.parts) {
    if (part.processes > 0) made.spec.apps.push_back(programs.app(part));
  }
  settle_roles(job, made.spec, complaints);
  made.spec.container = container_of(job, place, made.spec, complaints);
  const auto is_of = [&](Framework framework) {
    return !job.frameworks.empty() && job.frameworks.front().framework == framework;
  };
  made.spec.lone_ranks_start_workers =
      is_of(Framework::mpi) || (job.frameworks.empty() && !job.parallel);
  made.spec.torch_store = is_of(Framework::pytorch);
  if (made.spec.torch_store) made.spec.wireup = model::Wireup::none;
  made.spec.environment = environment_rule(job);
  made.spec.per_node = made.layout.per_node;
  made.spec.of_job_file = true;
  made.spec.timeout = timeout_of(job);
  set_notice(job, place, made.spec, complaints);
  made.folders = folders_of(job, values);
  // Of the job file, whose hosts have nothing of it.
  if (place.target.is_allocation && !job.code) made.folders.push_back(folder);
  tell(job, place.target, made);
  tell_guess(job, place, made);
  tell_base(job, place, made);
  tell_outputs(job, values, made);
  return made;
}

}  // namespace muster::job
