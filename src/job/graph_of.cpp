// Lays the steps of a pipeline and of those within it side by side, with their values.
#include "job/graph_of.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string_view>
#include <utility>

#include "base/nearest.hpp"
#include "job/binding.hpp"
#include "job/input_type.hpp"
#include "spec/quoted.hpp"

namespace muster::job {
namespace {

using spec::quoted;

// What an input stands for: an output of a step, a text, or nothing.
struct Source {
  std::optional<StepOutput> from;
  std::optional<std::string> text;
  std::string folder;    // where a relative path begins
  bool is_path = false;  // `text` is one
  bool told = false;     // it has been complained about
};

using Sources = std::map<std::string, Source, std::less<>>;
using MadeOutputs = std::map<std::string, StepOutput, std::less<>>;

// One pipeline while its steps are laid out, with what it has from the one that it is a step of.
struct Scope {
  const Pipeline& pipeline;
  std::string prefix;           // of its steps' names
  std::vector<std::size_t> at;  // its place in the order of the files
  Sources inputs;
  std::map<std::string, Text, std::less<>> paths;  // of its outputs, where they are said; absolute
  std::optional<Text> target;                      // of steps that name none
  std::vector<std::size_t> after;                  // what all its steps wait for
};

// What a step has come to.
struct Laid {
  MadeOutputs outputs;
  std::vector<std::size_t> steps;  // of the graph
};

class Layer {
 public:
  Layer(const PipelineFile& file, const std::vector<Setting>& settings, const Bases& bases,
        Complaints& complaints)
      : file_(file), bases_(bases), complaints_(complaints) {
    for (const Setting& setting : settings) {
      (setting.key.starts_with("jobs.") ? given_ : of_pipeline_).push_back(setting);
    }
  }

  void lay(Graph& graph) {
    steps_ = &graph.steps;
    const JobFile& head = file_.root.head;
    Scope scope{file_.root, "", {}, inputs_of(head), paths_of(head, {}), std::nullopt, {}};
    const MadeOutputs made = lay_pipeline(scope);
    for (const Output& output : head.outputs) {
      const auto found = made.find(output.name);
      if (found != made.end()) graph.outputs.push_back({output.name, found->second});
    }
    for (const Setting& setting : given_) {
      if (!used_.contains(setting.key)) tell_unknown(setting);
    }
    put_in_order(graph);
  }

 private:
  // ---- the pipeline's own inputs and outputs ----

  Sources inputs_of(const JobFile& head) {
    const std::size_t before = complaints_.size();
    const Values values = values_of(head, of_pipeline_, bases_, complaints_);
    const bool told = complaints_.size() > before;
    Sources sources;
    for (const Input& input : head.inputs) {
      Source& source = sources[input.name];
      source.text = values.inputs.find(input.name)->second;
      const auto is_set = std::ranges::count(of_pipeline_, "inputs." + input.name, &Setting::key);
      source.folder = is_set > 0 ? bases_.here : folder_of(input.mark);
      source.is_path = type_of(input, head.dialect) == InputType::path;
      source.told = told && !source.text && !input.optional;
    }
    return sources;
  }

  [[nodiscard]] std::string folder_of(Mark mark) const {
    return below(bases_.file, file_.files[mark.file].folder);
  }

  // Of a nested pipeline, some go where one of the outer pipeline's outputs does.
  [[nodiscard]] std::map<std::string, Text, std::less<>> paths_of(
      const JobFile& job, const std::map<std::string, Text, std::less<>>& outer) const {
    std::map<std::string, Text, std::less<>> paths;
    for (const Output& output : job.outputs) {
      if (output.bound) {
        const auto found = outer.find(bindings_of(output.path->text).front().name);
        if (found != outer.end()) paths[output.name] = found->second;
      } else if (output.path) {
        paths[output.name] = absolute(*output.path);
      }
    }
    return paths;
  }

  [[nodiscard]] Text absolute(Text path) const {
    if (!is_elsewhere(path.text)) path.text = below(folder_of(path.begin), path.text);
    return path;
  }

  // ---- steps ----

  MadeOutputs lay_pipeline(const Scope& scope) {
    MadeOutputs made;
    std::vector<Laid> laid(scope.pipeline.steps.size());
    std::vector<std::size_t> first;
    const std::optional<std::size_t> begins = first_of(scope.pipeline);
    for (const std::size_t number : scope.pipeline.order) {
      if (is_full_) break;
      const Step& step = scope.pipeline.steps[number];
      Scope with = inner_scope(scope, step, number);
      with.after.insert(with.after.end(), first.begin(), first.end());
      const Laid& done = laid[number] = lay_step(scope, step, laid, std::move(with));
      if (begins == number) first = done.steps;
      for (const Output& output : step.job.outputs) {
        const auto found = done.outputs.find(output.name);
        if (!output.bound || found == done.outputs.end()) continue;
        made[bindings_of(output.path->text).front().name] = found->second;
      }
    }
    return made;
  }

  static std::optional<std::size_t> first_of(const Pipeline& pipeline) {
    if (!pipeline.head.flow.first) return std::nullopt;
    const std::vector<Binding> pieces = bindings_of(pipeline.head.flow.first->text);
    const bool is_step = pieces.front().kind == Binding::Kind::step;
    const auto found =
        pipeline.numbers.find(is_step ? pieces.front().step : pipeline.head.flow.first->text);
    return found->second;
  }

  static Scope inner_scope(const Scope& scope, const Step& step, std::size_t number) {
    const Pipeline& pipeline = step.pipeline ? *step.pipeline : scope.pipeline;
    Scope inner{pipeline, scope.prefix + step.name, scope.at, {}, {}, scope.target, scope.after};
    inner.at.push_back(number);
    return inner;
  }

  // `inner.prefix`: the name of the step.
  Laid lay_step(const Scope& scope, const Step& step, const std::vector<Laid>& laid, Scope inner) {
    if (step.pipeline == nullptr) return lay_job(scope, step, laid, inner);
    for (const Input& input : step.job.inputs) {
      inner.inputs[input.name] = source_of(scope, step, laid, inner.prefix, input);
    }
    inner.paths = paths_of(step.job, scope.paths);
    const JobFile job = with_later(scope, step);
    if (job.target) inner.target = job.target;
    if (!job.target && job.flow.target) inner.target = job.flow.target;
    inner.prefix += '.';
    const std::size_t before = steps_->size();
    Laid done{lay_pipeline(inner), {}};
    for (std::size_t i = before; i < steps_->size(); ++i) done.steps.push_back(i);
    return done;
  }

  Laid lay_job(const Scope& scope, const Step& step, const std::vector<Laid>& laid,
               const Scope& inner) {
    const std::size_t index = steps_->size();
    if (index >= kGraphStepsMax) {
      if (!is_full_) {
        complaints_.add(step.mark,
                        fmt::format("the pipeline has more than {} steps", kGraphStepsMax), "");
      }
      is_full_ = true;
      return {};
    }
    GraphStep made;
    made.name = inner.prefix;
    made.mark = step.mark;
    made.folder = below(bases_.file, file_.files[step.file].folder);
    made.job = with_later(scope, step);
    if (!made.job.target) made.job.target = scope.target;
    made.deterministic = made.job.deterministic;
    made.after = inner.after;
    for (Input& input : made.job.inputs) set_input(scope, step, laid, made, input);
    Laid done{{}, {index}};
    for (Output& output : made.job.outputs) {
      done.outputs[output.name] = {index, output.name};
      set_path(scope, output);
    }
    places_.push_back(inner.at);
    steps_->push_back(std::move(made));
    return done;
  }

  void set_input(const Scope& scope, const Step& step, const std::vector<Laid>& laid,
                 GraphStep& made, Input& input) {
    Source source = source_of(scope, step, laid, made.name, input);
    if (source.from) {
      made.after.push_back(source.from->step);
      made.inputs[input.name] = std::move(*source.from);
      input.value.reset();
    } else if (source.text) {
      Text value = input.value.value_or(Text{"", input.mark, input.mark, false});
      value.text = std::move(*source.text);
      input.value = std::move(value);
      input.is_path = input.is_path || source.is_path;
    } else {
      input.value.reset();
    }
    input.bound = false;
  }

  void set_path(const Scope& scope, Output& output) const {
    if (output.bound) {
      const auto found = scope.paths.find(bindings_of(output.path->text).front().name);
      output.path.reset();
      if (found != scope.paths.end()) output.path = found->second;
      output.bound = false;
    } else if (output.path) {
      output.path = absolute(*output.path);
    }
  }

  // ---- values ----

  // What an input of a step stands for; `name` is the step's.
  Source source_of(const Scope& scope, const Step& step, const std::vector<Laid>& laid,
                   const std::string& name, const Input& input) {
    Source source = said(scope, step, laid, input);
    bool is_said = !input.bound;
    if (const Setting* given = setting_of(name, input.name)) {
      source = Source{std::nullopt, given->value, bases_.here};
      is_said = false;
    }
    if (source.from || source.told) return source;
    if (!source.text) {
      source.told = !input.optional;
      if (source.told) tell_missing(name, input);
      return source;
    }
    const InputType type = type_of(input, step.job.dialect).value_or(InputType::text);
    if (source.is_path || type == InputType::path) {
      source.is_path = true;
      reach(name, input, source);
    } else if (auto wrong = is_said ? std::nullopt : misfit(input, type, *source.text)) {
      complaints_.add(mark_of(input),
                      fmt::format("jobs.{}.inputs.{} {}", name, input.name, wrong->what),
                      std::move(wrong->hint));
      source.told = true;
    }
    return source;
  }

  Source said(const Scope& scope, const Step& step, const std::vector<Laid>& laid,
              const Input& input) const {
    if (!input.value) return {};
    Source source;
    source.folder = folder_of(input.value->begin);
    source.is_path = type_of(input, step.job.dialect) == InputType::path;
    if (!input.bound) {
      source.text = input.value->text;
      return source;
    }
    const std::vector<Binding> pieces = bindings_of(input.value->text);
    if (pieces.size() == 1) {
      source = one_piece(scope, laid, pieces.front());
    } else {
      join(scope, pieces, source);
    }
    if (!source.from && !source.text && !source.told && input.otherwise) {
      source.text = input.otherwise->text;
      source.folder = folder_of(input.otherwise->begin);
    }
    return source;
  }

  static Source one_piece(const Scope& scope, const std::vector<Laid>& laid, const Binding& piece) {
    if (piece.kind == Binding::Kind::input) return scope.inputs.find(piece.name)->second;
    const MadeOutputs& made = laid[scope.pipeline.numbers.find(piece.step)->second].outputs;
    const auto found = made.find(piece.name);
    Source source;
    source.told = found == made.end();  // there are too many steps
    if (!source.told) source.from = found->second;
    return source;
  }

  // Text with inputs of the pipeline in it.
  static void join(const Scope& scope, const std::vector<Binding>& pieces, Source& source) {
    std::string text;
    for (const Binding& piece : pieces) {
      if (piece.kind == Binding::Kind::literal) {
        text += piece.name;
        continue;
      }
      const Source& input = scope.inputs.find(piece.name)->second;
      source.told = source.told || input.told;
      if (!input.text) return;
      source.is_path = source.is_path || input.is_path;
      text += *input.text;
    }
    source.text = std::move(text);
  }

  // The step's keys with the values that inputs of its pipeline give them.
  JobFile with_later(const Scope& scope, const Step& step) {
    JobFile job = step.job;
    for (const Later<JobFile>& later : step.later) {
      Node node = later.node;
      Source source;
      join(scope, settings_in(later.node.text), source);
      if (!source.text) {
        if (!source.told) {
          complaints_.add(node.begin, later.path + " has no value",
                          "the input of the pipeline that gives it has none");
        }
        continue;
      }
      node.text = std::move(*source.text);
      node.quoted = false;
      if (auto wrong = misfit(later.key->text, node)) {
        complaints_.add(node.begin, later.path + " " + wrong->what, std::move(wrong->hint));
      } else if (later.key->set != nullptr) {
        later.key->set(job, {later.name, later.mark, node});
      }
    }
    return job;
  }

  // Expressions that are not the pipeline's stay as they are.
  static std::vector<Binding> settings_in(const std::string& text) {
    std::vector<Binding> pieces = bindings_of(text);
    for (Binding& piece : pieces) {
      if (piece.parent) continue;
      piece.kind = Binding::Kind::literal;
      piece.name = std::string(piece.raw);
    }
    return pieces;
  }

  void reach(const std::string& name, const Input& input, Source& source) {
    if (!is_elsewhere(*source.text)) {
      source.text = below(source.folder, *source.text);
      return;
    }
    source.told = true;
    complaints_.add(mark_of(input),
                    fmt::format("the input {} of step {} is where muster cannot reach it: {}",
                                input.name, name, quoted(*source.text)),
                    fmt::format("name a file or folder of the hosts: --set jobs.{}.inputs.{}=PATH",
                                name, input.name));
  }

  void tell_missing(const std::string& name, const Input& input) {
    complaints_.add(mark_of(input),
                    fmt::format("the input {} of step {} has no value", input.name, name),
                    fmt::format("give it one below the step's inputs:, or --set "
                                "jobs.{}.inputs.{}=VALUE",
                                name, input.name));
  }

  static Mark mark_of(const Input& input) { return input.value ? input.value->begin : input.mark; }

  // ---- settings ----

  const Setting* setting_of(const std::string& step, const std::string& input) {
    if (given_.empty()) return nullptr;
    const std::string key = fmt::format("jobs.{}.inputs.{}", step, input);
    const auto last = std::ranges::find(given_.rbegin(), given_.rend(), key, &Setting::key);
    if (last == given_.rend()) return nullptr;
    used_.insert(key);
    return &*last;
  }

  void tell_unknown(const Setting& setting) {
    std::vector<std::string> names;
    for (const GraphStep& step : *steps_) {
      for (const Input& input : step.job.inputs) {
        names.push_back(fmt::format("jobs.{}.inputs.{}", step.name, input.name));
      }
    }
    names.resize(std::min<std::size_t>(names.size(), 1000));
    complaints_.add(
        {}, "--set " + quoted(setting.key) + ": no step has such an input",
        base::did_you_mean(setting.key, names, "write --set jobs.STEP.inputs.NAME=VALUE"));
  }

  // ---- order ----

  void put_in_order(Graph& graph) {
    const std::vector<std::size_t> order = ready_order(graph.steps, places_);
    std::vector<std::size_t> moved(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) moved[order[i]] = i;
    std::vector<GraphStep> steps;
    steps.reserve(order.size());
    for (const std::size_t old : order) {
      GraphStep& step = steps.emplace_back(std::move(graph.steps[old]));
      for (std::size_t& needed : step.after) needed = moved[needed];
      std::ranges::sort(step.after);
      step.after.erase(std::unique(step.after.begin(), step.after.end()), step.after.end());
      for (auto& [name, output] : step.inputs) output.step = moved[output.step];
      for (Condition& condition : step.when) condition.output.step = moved[condition.output.step];
    }
    graph.steps = std::move(steps);
    for (GraphOutput& output : graph.outputs) output.from.step = moved[output.from.step];
  }

  // Of steps whose needs are met, the one first that stands first in the files.
  static std::vector<std::size_t> ready_order(const std::vector<GraphStep>& steps,
                                              const std::vector<std::vector<std::size_t>>& places) {
    using Next = std::pair<const std::vector<std::size_t>*, std::size_t>;
    const auto later = [](const Next& a, const Next& b) { return *a.first > *b.first; };
    std::priority_queue<Next, std::vector<Next>, decltype(later)> ready(later);
    std::vector<std::vector<std::size_t>> followers(steps.size());
    std::vector<std::size_t> open(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      open[i] = steps[i].after.size();
      for (const std::size_t needed : steps[i].after) followers[needed].push_back(i);
      if (open[i] == 0) ready.push({&places[i], i});
    }
    std::vector<std::size_t> order;
    order.reserve(steps.size());
    while (!ready.empty()) {
      const std::size_t next = ready.top().second;
      ready.pop();
      order.push_back(next);
      for (const std::size_t follower : followers[next]) {
        if (--open[follower] == 0) ready.push({&places[follower], follower});
      }
    }
    return order;
  }

  const PipelineFile& file_;
  const Bases& bases_;
  Complaints& complaints_;
  std::vector<Setting> of_pipeline_;
  std::vector<Setting> given_;  // to steps
  std::set<std::string> used_;  // of these
  std::vector<GraphStep>* steps_ = nullptr;
  std::vector<std::vector<std::size_t>> places_;  // of each step, in the order of the files
  bool is_full_ = false;
};

}  // namespace

Graph graph_of(const PipelineFile& pipeline, const std::vector<Setting>& settings,
               const Bases& bases, Complaints& complaints) {
  Graph graph;
  const JobFile& head = pipeline.root.head;
  graph.source = pipeline.files.front().path;
  if (head.name) graph.name = head.name->text;
  if (head.experiment) graph.experiment = head.experiment->text;
  graph.tags = head.tags;
  graph.target = head.target ? head.target : head.flow.target;
  graph.goes_on = head.flow.goes_on;
  graph.reuses = !head.flow.force_rerun;
  graph.files = sources_of(pipeline);
  Layer(pipeline, settings, bases, complaints).lay(graph);
  return graph;
}

std::vector<std::string> sources_of(const PipelineFile& pipeline) {
  std::vector<std::string> sources;
  for (const SourceFile& file : pipeline.files) sources.push_back(file.path);
  return sources;
}

}  // namespace muster::job
