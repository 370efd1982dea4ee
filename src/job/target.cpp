// Reads muster.yml along its table of keys and finds targets in it.
#include "job/target.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/nearest.hpp"
#include "job/batch_rows.hpp"
#include "job/check_batch.hpp"
#include "job/check_cluster.hpp"
#include "job/cluster_rows.hpp"
#include "job/read_map.hpp"
#include "job/table_reader.hpp"
#include "spec/container.hpp"
#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

using Row = Key<Targets>;

constexpr std::string_view kRunSection = "run";

template <auto Member>
void into_target(Targets& targets, const Found& found) {
  store(targets.all.back().*Member, found);
}

void add_target(Targets& targets, const Found& found) {
  Target& target = targets.all.emplace_back();
  target.name = found.key;
  target.mark = found.key_mark;
}

void add_instance_type(Targets& targets, const Found& found) {
  std::optional<Count> gpus;
  store(gpus, found);
  targets.instance_types.push_back({std::string(found.key), gpus ? gpus->number : 0});
}

void set_type_gpus(Targets& targets, const Found& found) {
  Count gpus;
  store(gpus, found);
  targets.instance_types.back().gpus = gpus.number;
}

template <auto Member>
void into_type(Targets& targets, const Found& found) {
  store(targets.instance_types.back().*Member, found);
}

constexpr Row kInstanceType[] = {
    {{"gpus", Form::count, "GPUs of such a machine.", {.least = 0}}, set_type_gpus},
    {{"cpu", Form::quantity, "CPUs that a pod on it gets."}, into_type<&InstanceType::cpu>},
    {{"memory", Form::quantity, "Memory that a pod on it gets."}, into_type<&InstanceType::memory>},
    {{"node_selector", Form::text, "Labels of such machines.", {.each = true}},
     into_type<&InstanceType::node_selector>},
};

std::vector<Named>& reach_of_target(Targets& targets) { return targets.all.back().reach; }
std::vector<Named>& reach_of_runs(Targets& targets) { return targets.run_reach; }

template <auto List>
void add_reach(Targets& targets, const Found& found) {
  Text value;
  store(value, found);
  List(targets).push_back({std::string(found.key), found.key_mark, std::move(value)});
}

// The group of front/reach_options.hpp.
constexpr decltype(Row::text) kReach[] = {
    {"ssh_command", Form::text, "What is called instead of ssh: ssh -J jump."},
    {"ssh_port", Form::text, "The ssh port of every host."},
    {"ssh_identity", Form::text, "The private key for ssh."},
    {"agent_path", Form::text, "Path of muster on the hosts."},
    {"start_timeout", Form::text, "Seconds for one attempt to connect to a host."},
    {"max_open", Form::text, "How many hosts to connect to at the same time."},
    {"lease", Form::text, "Seconds of silence after which a host is lost."},
};

template <auto List>
constexpr Row reach_key(std::size_t which) {
  return {kReach[which], add_reach<List>};
}

constexpr Row kTarget[] = {
    {{"hosts", Form::text, "Hosts as after -H.", {.listed = true}}, into_target<&Target::hosts>},
    {{"hostfile", Form::text, "A file with hosts."}, into_target<&Target::hostfile>},
    {{"fake_nodes", Form::count, "How many nodes this machine may play."},
     into_target<&Target::fake_nodes>},
    {{"kubernetes", Form::none, "A cluster whose pods are the nodes."}, add_cluster, kClusterKeys},
    {{"slurm", Form::none, "A Slurm, to whose queue jobs go."}, add_batch, kSlurmKeys},
    {{"grid_engine", Form::none, "A Grid Engine, to whose queue jobs go."},
     add_batch,
     kGridEngineKeys},
    reach_key<reach_of_target>(0),
    reach_key<reach_of_target>(1),
    reach_key<reach_of_target>(2),
    reach_key<reach_of_target>(3),
    reach_key<reach_of_target>(4),
    reach_key<reach_of_target>(5),
    reach_key<reach_of_target>(6),
    {{"slots", Form::count, "Slots of each node that does not say it."},
     into_target<&Target::slots>},
    {{"gpus", Form::count, "GPUs of each node.", {.least = 0}}, into_target<&Target::gpus>},
    {{"oversubscribe", Form::boolean, "Whether more processes than slots are fine."},
     into_target<&Target::oversubscribe>},
    {{"image", Form::text, "The image of jobs that name none."}, into_target<&Target::image>},
    {{"container_runtime",
      Form::choice,
      "What starts containers (default: what a host has).",
      {.choices = spec::kRuntimeNames}},
     into_target<&Target::container_runtime>},
    {{"container_options", Form::text, "More words for its command line.", {.listed = true}},
     into_target<&Target::container_options>},
    {{"mounts", Form::text, "What containers see: SOURCE[:TARGET][:ro].", {.listed = true}},
     into_target<&Target::mounts>},
    {{"without",
      Form::choice,
      "What jobs may ask for and do not get here.",
      {.choices = "environment gpus", .listed = true}},
     into_target<&Target::without>},
};

template <std::vector<Lead> Leads::*Member>
void add_lead(Targets& targets, const Found& found) {
  Lead& lead = (targets.leads.*Member).emplace_back();
  lead.name = found.key;
  lead.mark = found.key_mark;
  store(lead.to, found);
}

template <auto Part>
void into_data(Targets& targets, const Found& found) {
  store(targets.leads.data.back().*Part, found);
}

constexpr Row kDataKeys[] = {
    {{"path", Form::text, "A path, or an address to fetch it from.", {.required = true}},
     into_data<&Lead::to>},
    {{"sha256", Form::text, "The SHA-256 that it must have."}, into_data<&Lead::sha256>},
};

constexpr Row kRunKeys[] = {
    {{"bind_to", Form::text, "What ranks are bound to, as after --bind-to: default."},
     into<Targets, &Targets::run_bind_to>},
    reach_key<reach_of_runs>(0),
    reach_key<reach_of_runs>(1),
    reach_key<reach_of_runs>(2),
    reach_key<reach_of_runs>(3),
    reach_key<reach_of_runs>(4),
    reach_key<reach_of_runs>(5),
    reach_key<reach_of_runs>(6),
    {{"workdir", Form::text, "Where ranks start, as seen from this file."},
     into<Targets, &Targets::run_workdir>},
};

constexpr Row kTargetKeys[] = {
    {{"default", Form::text, "The target of jobs that name none."},
     into<Targets, &Targets::preferred>},
    {{"targets", Form::none, "Where jobs may run.", {.each = true}}, add_target, kTarget},
    {{kRunSection, Form::none, "What runs do unless they are told otherwise."}, nullptr, kRunKeys},
    {{"instance_types", Form::count, "GPUs of a machine size.", {.each = true, .least = 0}},
     add_instance_type,
     kInstanceType},
    {{"components", Form::text, "The file of a component that a name means.", {.each = true}},
     add_lead<&Leads::components>},
    {{"data", Form::text, "Where data is that a name means.", {.each = true}},
     add_lead<&Leads::data>,
     kDataKeys},
    {{"environments",
      Form::text,
      "The image, or the file, of an environment that a name means.",
      {.each = true}},
     add_lead<&Leads::environments>},
};

void check_data(const Leads& leads, Complaints& complaints) {
  constexpr std::size_t kDigits = 64;
  for (const Lead& lead : leads.data) {
    if (!lead.to && !lead.sha256) {
      complaints.add(lead.mark, fmt::format("data.{} has no value", lead.name),
                     "write a path or an address, or remove the key");
    }
    if (!lead.sha256) continue;
    const bool is_here = lead.to && !is_fetched(lead.to->text) && !is_fetched(lead.name);
    if (is_here) {
      complaints.add(lead.sha256->begin,
                     fmt::format("data.{}.sha256 is for what is fetched, and {} is a path here",
                                 lead.name, spec::in_quotes(lead.to->text)),
                     "remove it, or write an address: https://...");
    }
    const std::string& digest = lead.sha256->text;
    const bool is_one = digest.size() == kDigits &&
                        digest.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (is_one) continue;
    complaints.add(lead.sha256->begin,
                   fmt::format("data.{}.sha256 must be {} digits of 0-9 and a-f, not {}", lead.name,
                               kDigits, spec::in_quotes(digest)),
                   "sha256sum FILE prints it");
  }
}

// A file that says nothing of these is one of something else.
void check_purpose(const Node& root, Complaints& complaints) {
  const std::vector<std::string> purposes = {"targets", "components", "data", "environments",
                                             std::string(kRunSection)};
  for (const std::string& key : purposes) {
    if (find(root, key) != nullptr) return;
  }
  const auto is_mistyped = [&](const Entry& entry) {
    return base::nearest(entry.key, purposes).has_value();
  };
  if (std::ranges::any_of(root.entries, is_mistyped)) return;  // it has been told
  complaints.add(root.begin, "the key targets is missing", "targets: Where jobs may run.");
}

void check(const Targets& targets, Complaints& complaints) {
  for (const Target& target : targets.all) {
    const int kinds = int(!target.hosts.empty()) + int(target.hostfile.has_value()) +
                      int(target.fake_nodes.has_value()) + int(target.kubernetes.has_value()) +
                      int(target.batch.has_value());
    if (target.kubernetes) {
      check_cluster(*target.kubernetes, fmt::format("targets.{}.kubernetes", target.name),
                    complaints);
    }
    if (target.batch) {
      check_batch(*target.batch, fmt::format("targets.{}.{}", target.name, target.batch->kind),
                  complaints);
    }
    if (kinds <= 1) continue;
    complaints.add(
        target.mark,
        fmt::format("targets.{} has more than one of hosts, hostfile, fake_nodes, kubernetes, "
                    "slurm and grid_engine",
                    target.name),
        "keep one of them");
  }
}

std::string_view without_prefix(std::string_view wanted) {
  constexpr std::string_view kPrefix = "azureml:";
  return wanted.starts_with(kPrefix) ? wanted.substr(kPrefix.size()) : wanted;
}

// `take` is given what the file is a map of.
template <class Take>
TargetsReading read_with(std::string_view text, const std::string& source, Take take) {
  TargetsReading reading;
  Complaints complaints(source);
  const SharedNode root = read_map(text, {"a file of targets", "targets:"}, complaints);
  reading.targets.source = source;
  if (root) take(*root, reading.targets, complaints);
  reading.complaints = std::move(complaints).take();
  return reading;
}

}  // namespace

TargetsReading read_targets(std::string_view text, const std::string& source) {
  return read_with(text, source, [](const Node& root, Targets& targets, Complaints& complaints) {
    TableReader<Targets>(targets, complaints).read(root, kTargetKeys);
    check_purpose(root, complaints);
    check(targets, complaints);
    check_data(targets.leads, complaints);
  });
}

// As one line; a file of something else may have many.
void note_unknown(const Node& root, Targets& targets) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> known;
  known.reserve(std::size(kTargetKeys));
  for (const Row& key : kTargetKeys) known.emplace_back(key.text.name);
  for (const Entry& entry : root.entries) {
    if (targets.notices.size() == kMost) return;
    if (std::ranges::count(known, entry.key) > 0) continue;
    const std::string near = base::did_you_mean(entry.key, known);
    targets.notices.push_back(
        fmt::format("{}:{}:{}: unknown key {} has no effect{}{}", targets.source, entry.mark.line,
                    entry.mark.column, spec::in_quotes(entry.key), near.empty() ? "" : "; ", near));
  }
}

TargetsReading read_run_defaults(std::string_view text, const std::string& source) {
  return read_with(text, source, [](Node root, Targets& targets, Complaints& complaints) {
    note_unknown(root, targets);
    std::erase_if(root.entries, [](const Entry& entry) { return entry.key != kRunSection; });
    TableReader<Targets>(targets, complaints).read(root, kTargetKeys);
  });
}

base::Result<Target> choose_target(const Targets& targets, const std::string& wanted,
                                   std::string_view instead) {
  std::string name(without_prefix(wanted));
  const bool serverless =
      name == "serverless" && !std::ranges::count(targets.all, name, &Target::name);
  if (name.empty() || serverless) name = targets.preferred ? targets.preferred->text : "local";
  const auto found = std::ranges::find(targets.all, name, &Target::name);
  if (found != targets.all.end()) return *found;
  if (name == "local") {
    Target local;
    local.name = "local";
    return local;
  }
  std::vector<std::string> known = {"local"};
  for (const Target& target : targets.all) known.push_back(target.name);
  const std::string where = targets.source.empty() ? "muster.yml" : targets.source;
  const std::string hint =
      fmt::format("describe it in {}, or choose another target: {}", where, instead);
  return base::fail(base::Fault::usage, base::did_you_mean(name, known, hint),
                    "there is no compute target {}", spec::in_quotes(name));
}

bool goes_without(const Target& target, std::string_view what) {
  return std::ranges::find(target.without, what, &Text::text) != target.without.end();
}

}  // namespace muster::job
