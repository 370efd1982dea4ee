// Reads pipelines: their own keys, their steps, and the components that steps name.
#include "job/read_pipeline.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/nearest.hpp"
#include "base/words.hpp"
#include "job/binding.hpp"
#include "job/check.hpp"
#include "job/component_files.hpp"
#include "job/expression.hpp"
#include "job/input_type.hpp"
#include "job/names.hpp"
#include "job/other_files.hpp"
#include "job/output_names.hpp"
#include "job/pipeline_keys.hpp"
#include "job/pipeline_order.hpp"
#include "job/plain_values.hpp"
#include "job/read_keys.hpp"
#include "job/sweep_keys.hpp"
#include "job/sweep_of.hpp"
#include "job/values.hpp"
#include "job/yaml.hpp"
#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

using spec::in_quotes;

constexpr std::size_t kStepNameMax = 100;

// What steps can be and muster does not run.
struct NoStep {
  std::string_view type;
  std::string_view what;
};

constexpr NoStep kNoSteps[] = {
    {"sweep", "a sweep is a step, and no component or trial of one"},
    {"spark", "a Spark job needs a Spark cluster, and muster starts none"},
    {"automl", "an AutoML job runs only in Azure ML's service"},
    {"finetuning", "a fine-tuning job runs only in Azure ML's service"},
    {"finetune", "a fine-tuning job runs only in Azure ML's service"},
    {"data_transfer", "a data transfer job runs only in Azure ML's service"},
    {"import", "an import job runs only in Azure ML's service"},
    {"promptflow_parallel", "a prompt flow runs only in Azure ML's service"},
};

struct ControlType {
  std::string_view type;
  Control::Kind kind;
};

constexpr ControlType kControlTypes[] = {
    {"if_else", Control::Kind::if_else},
    {"do_while", Control::Kind::do_while},
    {"parallel_for", Control::Kind::parallel_for},
};

// "IfElse" and "if-else" are "if_else", as Azure ML takes them.
std::string type_word(const Node& node) {
  const Entry* type = find(node, "type");
  if (type == nullptr || type->value->kind != Kind::text) return "";
  const std::string& text = type->value->text;
  std::string word;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool upper = text[i] >= 'A' && text[i] <= 'Z';
    if (upper && i > 0 && text[i - 1] >= 'a' && text[i - 1] <= 'z') word += '_';
    word += text[i] == '-' ? '_' : text[i];
  }
  return base::lower(word);
}

bool holds_steps(const Node& node) {
  return find(node, "jobs") != nullptr || type_word(node) == "pipeline";
}

bool is_sweep(const Node& node) { return type_word(node) == "sweep"; }

Text text_of_node(const Node& node) { return {node.text, node.begin, node.end, node.quoted}; }

Text parent_text(std::string_view kind, const std::string& name, Mark mark) {
  return {fmt::format("${{{{parent.{}.{}}}}}", kind, name), mark, mark, false};
}

// A sweep's inputs and outputs become those of a pipeline, which passes them on.
JobFile lone_head(JobFile& sweep) {
  JobFile head;
  head.source = sweep.source;
  head.dialect = sweep.dialect;
  head.name = sweep.name;
  head.title = sweep.title;
  head.experiment = sweep.experiment;
  head.tags = sweep.tags;
  head.target = sweep.target;
  for (Input& input : sweep.inputs) {
    if (input.swept) continue;
    head.inputs.push_back(input);
    input.value = parent_text("inputs", input.name, input.mark);
    input.bound = true;
  }
  for (Output& output : sweep.outputs) {
    head.outputs.push_back(output);
    output.path = parent_text("outputs", output.name, output.mark);
    output.bound = true;
  }
  return head;
}

// What a step can run. Null: it has been complained about.
struct Component {
  JobFile job;  // of a pipeline: its head
  std::shared_ptr<const Pipeline> pipeline;
  std::uint32_t file = 0;
};
using SharedComponent = std::shared_ptr<const Component>;
using LaterKeys = std::vector<Later<JobFile>>;

// How a map of keys is read. `later`: of a step; without it, the map is a component's.
struct How {
  std::uint32_t file;
  JobTable table;
  LaterKeys* later;
};

class PipelineReader {
 public:
  PipelineReader(std::string_view text, const std::string& source, const ReadComponent& read,
                 FindComponent find)
      : complaints_(source), files_(text, source, read, complaints_), find_(std::move(find)) {}

  PipelineReading read() && {
    PipelineReading reading;
    if (const SharedNode& root = files_.root(0)) read_root(reading.pipeline.root, *root);
    tell_values(reading.pipeline.root.head);
    reading.pipeline.files = files_.about();
    reading.complaints = std::move(complaints_).take();
    reading.notices = std::move(notices_);
    return reading;
  }

 private:
  // A pipeline job may name a component that is the pipeline. A sweep alone is a pipeline's step.
  void read_root(Pipeline& pipeline, const Node& root) {
    const Entry* component = find(root, "component");
    if (is_sweep(root)) return read_lone_sweep(pipeline, root);
    if (component == nullptr || find(root, "jobs") != nullptr) {
      return read_pipeline(pipeline, root, 0, nullptr);
    }
    Step step;
    step.mark = component->mark;
    read_component_step(step, root, *component, {0, pipeline_keys(), nullptr});
    if (step.broken) return;
    if (step.pipeline == nullptr) {
      return complaints_.add(component->value->begin, "this component is not a pipeline",
                             "submit a job that is not a pipeline by its own file");
    }
    pipeline = *step.pipeline;
    pipeline.head = std::move(step.job);
  }

  void read_pipeline(Pipeline& pipeline, const Node& node, std::uint32_t file, LaterKeys* later) {
    pipeline.head.source = files_.path(file);
    pipeline.head.dialect = Dialect::command;
    read_keys(pipeline.head, node, {file, pipeline_keys(), later});
    check(pipeline.head, files_.text(file), complaints_);
    const Entry* jobs = find(node, "jobs");
    if (jobs == nullptr) {
      return complaints_.add(node.begin, "the key jobs is missing",
                             "jobs: the steps, by their names");
    }
    if (jobs->value->kind != Kind::map || jobs->value->entries.empty()) {
      return complaints_.add(jobs->mark, "jobs must be a map of steps",
                             "write STEP: and its keys below it");
    }
    for (const Entry& entry : jobs->value->entries) {
      pipeline.numbers[entry.key] = pipeline.steps.size();
      pipeline.steps.push_back(read_step(entry, file));
    }
    settle(pipeline, files_, complaints_);
  }

  Step read_step(const Entry& entry, std::uint32_t file) {
    Step step;
    step.name = entry.key;
    step.mark = entry.mark;
    step.file = file;
    const std::size_t before = complaints_.size();
    check_name(step);
    if (entry.value->kind != Kind::map) {
      complaints_.add(entry.mark,
                      fmt::format("the step {} must be a map, not {}", in_quotes(step.name),
                                  word(entry.value->kind)),
                      "it begins with type:, component: or command:");
    } else if (is_sweep(*entry.value) || !is_strange(*entry.value)) {
      read_kind(step, *entry.value, file);
    }
    tell_values(step.job);
    step.broken = complaints_.size() > before;
    return step;
  }

  void check_name(const Step& step) {
    if (job::is_name(step.name) && step.name.size() <= kStepNameMax) return;
    complaints_.add(step.mark, fmt::format("{} is not a name for a step", in_quotes(step.name)),
                    fmt::format("a name has only letters, digits, _ and -, and at most {} of them",
                                kStepNameMax));
  }

  void read_kind(Step& step, const Node& node, std::uint32_t file) {
    const auto* control = std::ranges::find(kControlTypes, type_word(node), &ControlType::type);
    const Entry* component = find(node, "component");
    if (control != std::end(kControlTypes)) {
      step.control = read_control(control->kind, node, complaints_);
    } else if (component != nullptr) {
      const bool is_pipeline = type_word(node) == "pipeline";
      read_component_step(step, node, *component,
                          {file, is_pipeline ? pipeline_step_keys() : step_keys(), &step.later});
    } else if (is_sweep(node)) {
      read_sweep(step, node, file, true);
    } else if (holds_steps(node)) {
      auto inner = std::make_shared<Pipeline>();
      read_pipeline(*inner, node, file, &step.later);
      step.job = inner->head;
      step.pipeline = std::move(inner);
    } else {
      read_job(step.job, node, file, &step.later);
    }
  }

  // ---- sweeps ----

  void read_lone_sweep(Pipeline& pipeline, const Node& root) {
    Step step;
    step.name = kLoneSweep;
    step.mark = root.begin;
    read_sweep(step, root, 0, false);
    if (!complaints_.empty()) return;
    tell_values(step.job);
    pipeline.is_sweep = true;
    pipeline.head = lone_head(step.job);
    pipeline.numbers[step.name] = 0;
    pipeline.steps.push_back(std::move(step));
    settle(pipeline, files_, complaints_);
  }

  // A trial's own inputs make a component of it, in whose file it could stand as well.
  static bool is_component(const Node& trial) {
    return trial.kind == Kind::text || find(trial, "inputs") != nullptr;
  }

  // The job of its trials stands below `trial`, or is a component.
  void read_sweep(Step& step, const Node& node, std::uint32_t file, bool in_pipeline) {
    JobFile said;
    said.source = files_.path(file);
    said.dialect = Dialect::command;
    read_keys(said, node, {file, sweep_keys(), nullptr});
    if (in_pipeline) mark_bound(said);
    const SweepKeys keys = said.sweep_keys;
    const Entry* trial = find(node, "trial");
    const bool in_component = trial != nullptr && is_component(*trial->value);
    if (in_component) {
      read_trial(step, *trial, file, said);
    } else {
      step.job = std::move(said);
    }
    if (step.broken) return;
    make_sweep(keys, in_component, step.job, complaints_);
    check(step.job, files_.text(file), complaints_);
  }

  void read_trial(Step& step, const Entry& entry, std::uint32_t file, JobFile& said) {
    const SharedComponent component = component_of(entry, file);
    step.broken = component == nullptr || component->pipeline != nullptr;
    if (component != nullptr && component->pipeline != nullptr) {
      complaints_.add(entry.value->begin, "this component is a pipeline, and a trial is one job",
                      "");
    }
    if (step.broken) return;
    step.file = component->file;
    step.job = component->job;
    bind_inputs(said.inputs, step.job.inputs);
    bind_outputs(said.outputs, step.job.outputs);
    step.job.name = said.name;
    step.job.experiment = said.experiment;
    step.job.tags = said.tags;
    step.job.deterministic = said.deterministic;
    if (said.target) step.job.target = said.target;
    if (said.nodes) step.job.nodes = said.nodes;
    if (said.instance_type) step.job.instance_type = said.instance_type;
  }

  // ---- components ----

  void read_component_step(Step& step, const Node& node, const Entry& entry, How how) {
    const SharedComponent component = component_of(entry, how.file);
    if (component && component->job.parallel) how.table = parallel_step_keys();
    const Component none;
    const Component& what = component ? *component : none;
    step.file = what.file;
    step.pipeline = what.pipeline;
    step.job = what.job;
    step.job.inputs.clear();
    step.job.outputs.clear();
    read_keys(step.job, node, how);
    if (!component) {
      step.broken = true;
      return;
    }
    std::vector<Input> inputs = what.job.inputs;
    std::vector<Output> outputs = what.job.outputs;
    std::swap(inputs, step.job.inputs);
    std::swap(outputs, step.job.outputs);
    bind_inputs(inputs, step.job.inputs);
    bind_outputs(outputs, step.job.outputs);
    check(step.job, files_.text(how.file), complaints_);
  }

  SharedComponent component_of(const Entry& entry, std::uint32_t file) {
    const Node& node = *entry.value;
    if (node.kind == Kind::map) return read_component(node, file);
    if (node.kind != Kind::text) {
      complaints_.add(entry.mark,
                      fmt::format("component must be a path or a map, not {}", word(node.kind)),
                      "write component: ./FILE.yml");
      return nullptr;
    }
    Text path = text_of_node(node);
    if (is_in_azure(path.text)) {
      auto found = find_component(path.text);
      if (!found) {
        complaints_.add(node.begin, found.error().what, found.error().hint);
        return nullptr;
      }
      path.text = std::move(*found);
    }
    const auto number = files_.open(file, path);
    return number ? component_in(*number, node.begin) : nullptr;
  }

  [[nodiscard]] base::Result<std::string> find_component(const std::string& name) const {
    if (find_) return find_(name);
    return base::fail(
        base::Fault::bad_file,
        "name its file: component: ./FILE.yml, or " + how_to_say(Asset::component, name),
        "the component {} is registered in Azure ML, where muster cannot reach it",
        in_quotes(name));
  }

  // Each file is read as a component once.
  SharedComponent component_in(std::uint32_t file, Mark named_at) {
    const auto known = components_.find(file);
    if (known != components_.end()) return known->second;
    const auto open = std::ranges::find(open_, file);
    if (open != open_.end() || open_.size() >= kPipelineDepthMax) {
      tell_depth({open, open_.end()}, file, named_at);
      return nullptr;
    }
    const SharedNode& root = files_.root(file);
    if (!root) return nullptr;
    open_.push_back(file);
    SharedComponent component = read_component(*root, file);
    open_.pop_back();
    components_[file] = component;
    return component;
  }

  void tell_depth(const std::vector<std::uint32_t>& circle, std::uint32_t file, Mark named_at) {
    if (circle.empty()) {
      return complaints_.add(
          named_at, fmt::format("pipelines are nested more than {} deep", kPipelineDepthMax), "");
    }
    std::string names;
    for (const std::uint32_t one : circle) names += files_.path(one) + " -> ";
    complaints_.add(named_at,
                    fmt::format("these files contain one another: {}", names + files_.path(file)),
                    "");
  }

  SharedComponent read_component(const Node& node, std::uint32_t file) {
    const std::size_t before = complaints_.size();
    auto component = std::make_shared<Component>();
    component->file = file;
    if (!is_strange(node)) {
      if (holds_steps(node)) {
        auto pipeline = std::make_shared<Pipeline>();
        read_pipeline(*pipeline, node, file, nullptr);
        component->job = pipeline->head;
        component->pipeline = std::move(pipeline);
      } else if (is_parallel(node) || !refuse_others(node, complaints_)) {
        read_job(component->job, node, file, nullptr);
      }
    }
    if (complaints_.size() > before) return nullptr;
    return component;
  }

  bool is_strange(const Node& node) {
    const auto* stranger = std::ranges::find(kNoSteps, type_word(node), &NoStep::type);
    if (stranger == std::end(kNoSteps)) return false;
    complaints_.add(find(node, "type")->mark, std::string(stranger->what), "");
    return true;
  }

  // ---- keys ----

  void read_keys(JobFile& job, const Node& node, const How& how) {
    TableReader<JobFile> reader(job, complaints_, nullptr, how.later);
    reader.read(node, how.table);
    tell(std::move(reader).notices());
    if (how.later != nullptr) mark_bound(job);
  }

  // Of what a step is given: a component's own defaults count where the step says nothing.
  void tell_values(const JobFile& job) { tell(values_that_differ(job)); }

  void read_job(JobFile& job, const Node& node, std::uint32_t file, LaterKeys* later) {
    job.source = files_.path(file);
    tell(job::read_keys(node, job, complaints_, later));
    if (later != nullptr) mark_bound(job);
    check(job, files_.text(file), complaints_);
  }

  static void mark_bound(JobFile& job) {
    for (Input& input : job.inputs) {
      const bool is_here = input.value && !is_in_azure(input.value->text);
      input.bound = is_here && has_expression(input.value->text);
    }
    for (Output& output : job.outputs) {
      output.bound =
          output.path && says_path(output) && !other_expression(output.path->text).empty();
    }
  }

  // "inputs.x.mode has no effect here: ..." is told once, as "mode has no effect here: ...".
  void tell(std::vector<std::string> notices) {
    for (std::string& notice : notices) {
      const std::size_t end = notice.find(' ');
      const std::size_t dot = notice.rfind('.', end);
      if (dot != std::string::npos && notice.starts_with("inputs.")) notice.erase(0, dot + 1);
      if (dot != std::string::npos && notice.starts_with("outputs.")) notice.erase(0, dot + 1);
      if (std::ranges::find(notices_, notice) == notices_.end()) {
        notices_.push_back(std::move(notice));
      }
    }
  }

  // ---- what a step gives its component ----

  void bind_inputs(std::vector<Input>& given, std::vector<Input>& declared) {
    std::map<std::string_view, Input*> known;
    for (Input& input : declared) known[input.name] = &input;
    for (Input& input : given) {
      const auto found = known.find(input.name);
      if (found == known.end()) {
        tell_unknown(input.mark, "input", input.name, known);
        continue;
      }
      check_type("inputs." + input.name, input.type, Dialect::command, complaints_);
      Input& to = *found->second;
      if (input.mode) to.mode = std::move(input.mode);
      if (!to.type) to.type = std::move(input.type);
      if (!input.value) continue;
      to.otherwise = std::exchange(to.value, std::move(input.value));
      to.is_path = to.is_path || input.is_path;
      to.bound = input.bound;
    }
  }

  void bind_outputs(std::vector<Output>& given, std::vector<Output>& declared) {
    std::map<std::string_view, Output*> known;
    for (Output& output : declared) known[output.name] = &output;
    for (Output& output : given) {
      const auto found = known.find(output.name);
      if (found == known.end()) {
        tell_unknown(output.mark, "output", output.name, known);
        continue;
      }
      check_type("outputs." + output.name, output.type, Dialect::command, complaints_);
      Output& to = *found->second;
      if (output.mode) to.mode = std::move(output.mode);
      if (output.path) to.path = std::move(output.path);
      to.bound = output.bound;
      to.overwrite |= output.overwrite;
    }
  }

  template <class Known>
  void tell_unknown(Mark mark, std::string_view what, const std::string& name, const Known& known) {
    std::vector<std::string> names;
    names.reserve(known.size());
    for (const auto& [one, place] : known) names.emplace_back(one);
    std::string all = fmt::format("its component has the {}s {}", what, fmt::join(names, ", "));
    if (names.empty()) all = fmt::format("its component has no {}s", what);
    complaints_.add(mark, fmt::format("the step's component has no {} {}", what, in_quotes(name)),
                    base::did_you_mean(name, names, std::move(all)));
  }

  Complaints complaints_;
  ComponentFiles files_;
  FindComponent find_;
  std::vector<std::string> notices_;
  std::map<std::uint32_t, SharedComponent> components_;
  std::vector<std::uint32_t> open_;  // components that are being read, each within the one before
};

}  // namespace

bool is_pipeline(std::string_view text) {
  const Document document = read_yaml(text, "");
  if (!document.root || document.root->kind != Kind::map) return false;
  return holds_steps(*document.root) || is_sweep(*document.root);
}

PipelineReading read_pipeline(std::string_view text, const std::string& source,
                              const ReadComponent& read, const FindComponent& find) {
  return PipelineReader(text, source, read, find).read();
}

}  // namespace muster::job
