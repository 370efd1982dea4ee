// Reads muster.yml along its table of keys and finds targets in it.
#include "job/target.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/nearest.hpp"
#include "job/read_map.hpp"
#include "job/table_reader.hpp"
#include "spec/quoted.hpp"

namespace muster::job {
namespace {

using Row = Key<Targets>;

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
  targets.instance_types.push_back({std::string(found.key), gpus->number});
}

constexpr Row kTarget[] = {
    {{"hosts", Form::text, "Hosts as after -H.", {.listed = true}}, into_target<&Target::hosts>},
    {{"hostfile", Form::text, "A file with hosts."}, into_target<&Target::hostfile>},
    {{"fake_nodes", Form::count, "How many nodes this machine may play."},
     into_target<&Target::fake_nodes>},
    {{"slots", Form::count, "Slots of each node that does not say it."},
     into_target<&Target::slots>},
    {{"gpus", Form::count, "GPUs of each node.", {.least = 0}}, into_target<&Target::gpus>},
    {{"oversubscribe", Form::boolean, "Whether more processes than slots are fine."},
     into_target<&Target::oversubscribe>},
    {{"without",
      Form::choice,
      "What jobs may ask for and do not get here.",
      {.choices = "environment gpus", .listed = true}},
     into_target<&Target::without>},
};

constexpr Row kTargetKeys[] = {
    {{"default", Form::text, "The target of jobs that name none."},
     into<Targets, &Targets::preferred>},
    {{"targets", Form::none, "Where jobs may run.", {.each = true, .required = true}},
     add_target,
     kTarget},
    {{"instance_types", Form::count, "GPUs of a machine size.", {.each = true, .least = 0}},
     add_instance_type},
};

void check(const Targets& targets, Complaints& complaints) {
  for (const Target& target : targets.all) {
    const int kinds = int(!target.hosts.empty()) + int(target.hostfile.has_value()) +
                      int(target.fake_nodes.has_value());
    if (kinds <= 1) continue;
    complaints.add(
        target.mark,
        fmt::format("targets.{} has more than one of hosts, hostfile and fake_nodes", target.name),
        "keep one of them");
  }
}

std::string_view without_prefix(std::string_view wanted) {
  constexpr std::string_view kPrefix = "azureml:";
  return wanted.starts_with(kPrefix) ? wanted.substr(kPrefix.size()) : wanted;
}

}  // namespace

TargetsReading read_targets(std::string_view text, const std::string& source) {
  TargetsReading reading;
  Complaints complaints(source);
  const SharedNode root = read_map(text, {"a file of targets", "targets:"}, complaints);
  reading.targets.source = source;
  if (root) {
    TableReader<Targets>(reading.targets, complaints).read(*root, kTargetKeys);
    check(reading.targets, complaints);
  }
  reading.complaints = std::move(complaints).take();
  return reading;
}

base::Result<Target> choose_target(const Targets& targets, const std::string& wanted) {
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
      fmt::format("describe it in {}, or choose another target: --target local, -H HOSTS", where);
  return base::fail(base::Fault::usage, base::did_you_mean(name, known, hint),
                    "there is no compute target {}", spec::quoted(name));
}

bool goes_without(const Target& target, std::string_view what) {
  return std::ranges::find(target.without, what, &Text::text) != target.without.end();
}

}  // namespace muster::job
