// From a job and its target to what a batch system is asked for.
#include "front/job/batch.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/byte_size.hpp"
#include "batch/script.hpp"
#include "batch/system.hpp"
#include "front/job/known_names.hpp"
#include "front/pipeline_request.hpp"
#include "job/layout.hpp"
#include "spec/in_quotes.hpp"
#include "spec/number.hpp"

namespace muster::front {
namespace {

std::vector<batch::Wish::Named> named(const std::vector<job::Named>& all) {
  std::vector<batch::Wish::Named> pairs;
  pairs.reserve(all.size());
  for (const job::Named& one : all) pairs.emplace_back(one.name, one.value.text);
  return pairs;
}

template <class T>
void raise_to(std::optional<T>& most, std::optional<T> value) {
  if (value && (!most || *most < *value)) most = value;
}

// Of a node. Parts of a processor have no meaning here.
std::optional<std::uint32_t> cpus_of(const job::JobFile& job) {
  if (!job.limits.cpu) return std::nullopt;
  constexpr std::uint32_t kMost = 1'000'000;
  const auto cpus =
      spec::read_number("cpu", job.limits.cpu->text, {1, kMost}, base::Fault::bad_file);
  return cpus ? std::optional(*cpus) : std::nullopt;
}

std::optional<std::uint64_t> memory_of(const job::JobFile& job) {
  return job.limits.memory ? base::parse_byte_size(job.limits.memory->text) : std::nullopt;
}

std::optional<std::uint32_t> gpus_of_nodes(const job::JobFile& job, const job::Place& place,
                                           const JobDraft& draft) {
  const bool wants_none = std::ranges::count(draft.without, "gpus") > 0;
  if (wants_none) return std::nullopt;
  if (job.limits.gpu && job.limits.gpu->number > 0) return job.limits.gpu->number;
  if (!job.instance_type) return std::nullopt;
  const auto gpus = job::gpus_of(job.instance_type->text, place.instance_types);
  return gpus && *gpus > 0 ? gpus : std::nullopt;
}

std::optional<base::Duration> limit_of(const job::JobFile& job) {
  constexpr std::uint32_t kMost = 365U * 24 * 3600;
  if (!job.timeout) return std::nullopt;
  const auto seconds =
      spec::read_number("timeout", job.timeout->text, {1, kMost}, base::Fault::bad_file);
  if (!seconds) return std::nullopt;
  return std::chrono::seconds(*seconds);
}

// What one of the jobs adds to what the others ask for.
void widen(batch::Wish& wish, job::JobFile job, const JobDraft& draft, const job::Place& place) {
  job::Complaints heard(job.source);  // by who has read the job before
  job::resize(job, draft.counts, heard);
  const job::Layout layout = job::layout_of(job, place.instance_types);
  const std::uint32_t slots = std::max(layout.slots, layout.per_node);
  std::optional<std::uint32_t> cpus;  // of a node
  if (wish.cpus_per_task) cpus = *wish.cpus_per_task * wish.per_node;
  raise_to(cpus, cpus_of(job));
  wish.nodes = std::max(wish.nodes, layout.nodes);
  wish.per_node = std::max(wish.per_node, place.target.slots ? place.target.slots->number : slots);
  if (cpus) wish.cpus_per_task = (*cpus + wish.per_node - 1) / std::max(1U, wish.per_node);
  raise_to(wish.gpus_per_node, gpus_of_nodes(job, place, draft));
  raise_to(wish.memory, memory_of(job));
}

void check_nodes(const job::BatchPlace& place, const std::string& target, std::uint32_t needed,
                 job::Complaints& complaints) {
  if (!place.nodes || place.nodes->number >= needed) return;
  complaints.add({},
                 fmt::format("the job needs {} nodes, and the target {} asks for {}", needed,
                             spec::in_quotes(target), place.nodes->number),
                 fmt::format("raise nodes: in {}: of that target, or leave it out", place.kind));
}

std::string stem_of_job(const std::string& file) {
  const std::string name = file.substr(file.rfind('/') + 1);
  return name == "-" ? "muster" : name.substr(0, name.rfind('.'));
}

// A name with a blank or a slash would be one in files and tables of others.
std::string job_name(const std::vector<const job::JobFile*>& jobs, const std::string& file) {
  const job::JobFile& job = *jobs.front();
  const auto& given = job.name ? job.name : job.title;
  std::string name = jobs.size() == 1 && given ? given->text : stem_of_job(file);
  const auto is_odd = [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '/' || c == 127;
  };
  std::ranges::replace_if(name, is_odd, '_');
  return name;
}

}  // namespace

job::Place hosts_to_come(job::Target target, std::uint32_t nodes) {
  const std::uint32_t count =
      target.batch->nodes ? std::max(target.batch->nodes->number, nodes) : nodes;
  spec::HostsFound found{model::kHostsCalled, target.name, {}};
  for (std::uint32_t i = 0; i < count; ++i) {
    model::HostEntry& host = found.hosts.emplace_back();
    host.name = fmt::format("{}-{}", target.name, i);
    host.place = {"target " + target.name, 0, 0};
  }
  return {std::move(target), std::move(found), {}};
}

std::shared_ptr<BatchRequest> batch_request(const Call& call, const JobDraft& draft,
                                            const std::string& file, const job::Place& place,
                                            const std::vector<const job::JobFile*>& jobs,
                                            job::Complaints& complaints) {
  const job::BatchPlace& target = *place.target.batch;
  auto request = std::make_shared<BatchRequest>();
  request->target = place.target.name;
  request->kind = target.kind;
  if (target.program) request->program = target.program->text;
  batch::Wish& wish = request->wish;
  wish.name = job_name(jobs, file);
  wish.about = {file};
  for (const job::JobFile* job : jobs) widen(wish, *job, draft, place);
  if (jobs.size() == 1) wish.limit = limit_of(*jobs.front());
  check_nodes(target, place.target.name, wish.nodes, complaints);
  if (target.nodes) wish.nodes = target.nodes->number;
  wish.options = named(target.options);
  wish.raw = named(target.raw);
  for (const job::Text& line : target.setup) wish.setup.push_back(line.text);
  wish.folder = call.current_folder;
  wish.command = {"muster", call.called};
  wish.command.insert(wish.command.end(), call.words.begin(), call.words.end());
  request->reach_wishes = call.reach_wishes;
  return request;
}

void check_one_run(const job::Target& target, job::Complaints& complaints) {
  const auto& options = target.batch->options;
  if (std::ranges::find(options, "array", &job::Named::name) == options.end()) return;
  complaints.add(
      {}, fmt::format("an array of the target {} would be many runs", spec::in_quotes(target.name)),
      "muster export writes a script for it, whose tasks are runs of their own; or write a sweep");
}

base::Result<std::string> batch_script(const Call& call, const JobDraft& draft,
                                       const std::string& file, const BatchRequest& request) {
  if (file == "-") {
    return base::fail(base::Fault::usage, "give it a name",
                      "a script cannot name a job file that comes over stdin");
  }
  batch::Wish wish = request.wish;
  if (!draft.name.empty()) wish.name = draft.name;
  const batch::System& system = *batch::system_of(request.kind);
  wish.about = {
      fmt::format("{}, written by muster export; {} takes it", file, system.submit().front())};
  wish.command = {request.program.empty() ? call.own_name : request.program, "submit",
                  absolute(call, file), "--target", "allocation"};
  const auto add = [&](const char* option, const std::string& value) {
    wish.command.insert(wish.command.end(), {option, value});
  };
  for (const job::Setting& one : draft.settings) add("--set", one.key + "=" + one.value);
  for (const std::string& one : words_for_set(draft.leads)) add("--set", one);
  for (const std::string& what : draft.without) add("--without", what);
  if (draft.counts.nodes) add("--nodes", std::to_string(*draft.counts.nodes));
  if (draft.counts.per_node) add("--per-node", std::to_string(*draft.counts.per_node));
  return batch::check_lines(wish).map([&] { return system.script(wish); });
}

}  // namespace muster::front
