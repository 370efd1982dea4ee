// Reads a step's request: what is not in it cannot reach the step, but for the files of its host.
#include "front/job/step_facts.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include "job/container_of.hpp"
#include "job/names.hpp"
#include "job/values.hpp"

namespace muster::front {
namespace {

// They choose which programs and libraries a command finds.
constexpr std::string_view kChoosing[] = {"LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV",
                                          "CONDA_PREFIX", "PATH"};
// A host gives these to each rank that gets nothing else of the shell; see plan::account().
constexpr std::string_view kOfLogin[] = {"HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ"};
constexpr std::string_view kTerminal = "TERM";  // says where muster was called from

bool has_container(const model::JobSpec& spec) { return spec.container.has_value(); }

// What an address holds may be something else tomorrow.
bool is_certain(const job::Input& input) {
  return !input.value || !job::is_fetched(input.value->text) || !input.sha256.empty();
}

// A file, whose contents count.
bool is_file(std::string_view image) { return image.starts_with('/'); }

// By its contents, not by a name that may be given to another one.
bool is_pinned(std::string_view image) {
  return image.empty() || image == job::kBuiltImage || is_file(image) ||
         image.find("@sha256:") != std::string_view::npos;
}

std::vector<std::string> images_of(const model::JobSpec& spec) {
  std::vector<std::string> images;
  if (spec.container) images.push_back(spec.container->image);
  for (const model::App& app : spec.apps) images.push_back(app.image);
  return images;
}

// One text. A name that begins a line ends at a tab, and a text at a zero byte: none runs into the
// next.
class FactsText {
 public:
  explicit FactsText(std::string record) : record_(std::move(record)) {}

  void add(std::string_view name, std::string_view value) {
    text_ += fmt::format("{}\t{}", name, without_record(value)) + '\0';
  }
  void add(std::string_view name, std::uint64_t value) { add(name, std::to_string(value)); }

  std::string take() { return std::move(text_); }

 private:
  [[nodiscard]] std::string without_record(std::string_view value) const {
    std::string text(value);
    if (record_.empty()) return text;
    for (std::size_t at = text.find(record_); at != std::string::npos;
         at = text.find(record_, at)) {
      text.replace(at, record_.size(), "RECORD");
    }
    return text;
  }

  std::string record_;
  std::string text_;
};

void add_shell(const Call& call, const model::JobSpec& spec, FactsText& facts) {
  if (has_container(spec)) return;
  std::set<std::string_view> entries;  // in an order that is always the same
  for (const std::string& entry : call.environment) {
    const std::string_view name = std::string_view(entry).substr(0, entry.find('='));
    const bool counts = std::ranges::count(kChoosing, name) > 0 ||
                        std::ranges::count(kOfLogin, name) > 0 || name.starts_with("LC_");
    if (counts) entries.insert(entry);
  }
  for (const std::string_view entry : entries) facts.add("shell", entry);
}

void add_app(const Call& call, const model::App& app, FactsText& facts) {
  facts.add("app", app.ranks.value_or(0));
  for (const std::string& word : app.command) facts.add("word", word);
  for (const model::EnvSetting& one : app.exports) {
    facts.add("variable " + one.name,
              one.value ? *one.value : variable(call, one.name).value_or(""));
  }
  facts.add("path", app.path);
  facts.add("role", app.role + (app.serves ? " serves" : ""));
  facts.add("image", app.image);
}

void add_container(const model::ContainerSpec& container, FactsText& facts) {
  facts.add("image", container.image);
  facts.add("runtime", std::uint64_t(container.runtime));
  for (const std::string& word : container.options) facts.add("option", word);
  for (const model::ContainerMount& one : container.mounts) {
    facts.add("mount", fmt::format("{}\n{}\n{}", one.source, one.target, one.read_only));
  }
  for (const std::string& device : container.devices) facts.add("device", device);
  facts.add("shared memory", container.shared_memory);
}

void add_spec(const model::JobSpec& spec, FactsText& facts) {
  facts.add("per node", spec.per_node.value_or(0));
  facts.add("gpus", spec.gpus_per_rank);
  facts.add("wireup", std::uint64_t(spec.wireup));
  facts.add("roles", std::uint64_t(spec.roles));
  facts.add("torch", fmt::format("{} {} {}", spec.torch_store, spec.deepspeed,
                                 spec.lone_ranks_start_workers));
  for (const std::string& one : spec.environment.unset) facts.add("unset", one);
  if (spec.environment.silent)
    facts.add("silent", fmt::format("{}", fmt::join(*spec.environment.silent, " ")));
  if (spec.container) add_container(*spec.container, facts);
}

// As it was asked for: where there are fewer hosts, these are shared.
void add_layout(const job::JobFile& job, FactsText& facts) {
  for (const job::Chosen& one : job.frameworks) facts.add("kind", std::uint64_t(one.framework));
  for (const auto& count : {job.nodes, job.per_node, job.processes, job.slots}) {
    facts.add("count", count ? count->number : 0);
  }
}

}  // namespace

std::string never_reused_because(const job::GraphStep& step, const model::PlannedStep& plan,
                                 const RunRequest& request) {
  const auto& job = step.job;
  if (!request.code) return "without a copy of its code: folder it may read any file";
  if (job.sweep) return "it is a sweep";
  if (!step.items.empty()) return "it runs for items that another step makes";
  if (!plan.any_of.empty()) return "which step makes its input is known only when that has run";
  if (const auto output = std::ranges::find_if(job.outputs, job::says_path);
      output != job.outputs.end()) {
    return fmt::format("others may write to its output {}, which has a path", output->name);
  }
  const bool is_azure = job.dialect != job::Dialect::native;
  if (is_azure && std::ranges::any_of(job.outputs, job::is_run_folder)) {
    return fmt::format("its output {} is the whole folder in which it runs", job::kRunFolderName);
  }
  if (const auto input = std::ranges::find_if_not(job.inputs, is_certain);
      input != job.inputs.end()) {
    return fmt::format("the address of its input {} may hold something else later; give its sha256",
                       input->name);
  }
  const auto images = images_of(request.spec);
  const auto image = std::ranges::find_if_not(images, is_pinned);
  if (image == images.end()) return "";
  return fmt::format(
      "the name {} may be given to another image later; use its digest, "
      "NAME@sha256:...",
      *image);
}

StepFacts facts_of_step(const Call& call, const job::JobFile& bound, const model::PlannedStep& plan,
                        const RunRequest& request) {
  FactsText text(call.record_folder);
  StepFacts facts;
  for (const model::App& app : request.spec.apps) add_app(call, app, text);
  add_spec(request.spec, text);
  add_shell(call, request.spec, text);
  text.add("packages", request.packages);
  text.add("nodes", plan.nodes);
  text.add("slots", plan.slots);
  add_layout(bound, text);
  text.add("any code", bound.any_code);
  std::ranges::copy_if(images_of(request.spec), std::back_inserter(facts.paths), is_file);
  if (request.build) {
    text.add("dockerfile", request.build->dockerfile);
    facts.paths.push_back(request.build->folder);
  }
  for (const job::Output& one : bound.outputs) text.add("output", one.name);
  for (const job::Input& input : bound.inputs) {
    const std::string value = input.value ? input.value->text : "";
    text.add("input " + input.name, value + input.sha256);
    if (value.starts_with('/')) facts.paths.push_back(value);
  }
  facts.facts = text.take();
  return facts;
}

void take_only_what_counts(const Call& call, model::JobSpec& spec) {
  spec.environment.unset.emplace_back(kTerminal);
  for (model::App& app : spec.apps) {
    app.clean = true;
    for (const std::string_view name : kChoosing) {
      const auto value = variable(call, name);
      const bool is_said = std::ranges::count(app.exports, name, &model::EnvSetting::name) > 0 ||
                           has_container(spec);
      if (value && !is_said) app.exports.push_back({std::string(name), std::string(*value)});
    }
  }
}

}  // namespace muster::front
