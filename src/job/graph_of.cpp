// Lays the steps of a pipeline and of those within it side by side, with their values.
#include "job/graph_of.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <utility>

#include "job/binding.hpp"
#include "job/graph_parts.hpp"
#include "job/graph_values.hpp"
#include "job/input_type.hpp"
#include "job/mini_batches.hpp"
#include "job/parallel_places.hpp"
#include "job/waits.hpp"
#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

using spec::in_quotes;

void add_once(std::vector<Condition>& all, const Condition& one) {
  if (std::ranges::find(all, one) == all.end()) all.push_back(one);
}

class Layer {
 public:
  Layer(const PipelineFile& file, const std::vector<Setting>& settings, const Bases& bases,
        Complaints& complaints)
      : file_(file), complaints_(complaints), values_(file, settings, bases, complaints) {}

  void lay(Graph& graph) {
    steps_ = &graph.steps;
    const JobFile& head = file_.root.head;
    const Scope scope{file_.root, "", {}, values_.inputs(), values_.paths_of(head, "", {}),
                      {},         {}, {}};
    const MadeOutputs made = lay_pipeline(scope);
    for (const Output& output : head.outputs) {
      const auto found = made.find(output.name);
      if (found == made.end()) continue;
      graph.outputs.push_back({output.name, found->second});
    }
    values_.tell_unused(graph.steps);
    put_in_order(graph);
    tell_parallel_places(graph, complaints_);
  }

 private:
  // ---- steps ----

  MadeOutputs lay_pipeline(const Scope& scope) {
    const std::vector<Step>& steps = scope.pipeline.steps;
    Level level{scope, std::vector<Laid>(steps.size()), std::vector<Decision>(steps.size())};
    MadeOutputs made;
    for (const std::size_t number : scope.pipeline.order) {
      if (is_full_) break;
      if (steps[number].control) {
        decide(level, number);
        continue;
      }
      const Laid& done = level.laid[number] = lay_step(level, number);
      if (scope.pipeline.first == number) level.first = done.steps;
      if (scope.pipeline.last == number) come_last(scope, done);
      for (const Output& output : steps[number].job.outputs) {
        const auto found = done.outputs.find(output.name);
        if (!output.bound || found == done.outputs.end()) continue;
        made[bindings_of(output.path->text).front().name] = found->second;
      }
    }
    return made;
  }

  // After all steps, those of other pipelines too.
  void come_last(const Scope& scope, const Laid& done) {
    if (!scope.prefix.empty()) {
      complaints_.add(scope.pipeline.head.flow.last->begin,
                      "only the pipeline as a whole has a last step", "");
    }
    for (const std::size_t index : done.steps) {
      GraphStep& step = (*steps_)[index];
      step.anyway = true;
      for (std::size_t before = 0; before < index; ++before) step.after.push_back(before);
    }
  }

  Laid lay_step(const Level& level, std::size_t number) {
    const Step& step = level.scope.pipeline.steps[number];
    Scope inner = inner_scope(level, number);
    if (!may_run(level, step, inner.when)) return {{}, {}, true};
    if (!step.loop) return lay_once({level, step, inner.prefix}, inner);
    const Step& loop = level.scope.pipeline.steps[*step.loop];
    if (!may_run(level, loop, inner.when)) return {{}, {}, true};
    const bool repeats = loop.control->kind == Control::Kind::do_while;
    return repeats ? lay_passes(level, step, *loop.control, inner)
                   : lay_items(level, step, *loop.control, inner);
  }

  static Scope inner_scope(const Level& level, std::size_t number) {
    const Scope& outer = level.scope;
    const Step& step = outer.pipeline.steps[number];
    Scope inner{step.pipeline ? *step.pipeline : outer.pipeline,
                outer.prefix + step.name,
                outer.at,
                {},
                {},
                outer.target,
                outer.after,
                outer.when};
    inner.at.push_back(number);
    inner.after.insert(inner.after.end(), level.first.begin(), level.first.end());
    return inner;
  }

  // `inner.prefix`: the name of the step.
  Laid lay_once(const Here& here, const Scope& inner) {
    return here.step.pipeline ? lay_nested(here, inner) : lay_job(here, inner);
  }

  // None of its steps starts before the whole has what it is given, whether they use that or not.
  Laid lay_nested(const Here& here, Scope inner) {
    for (const Input& input : here.step.job.inputs) {
      Source source = values_.source_of(here, input);
      if (source.made) wait_for(*source.made, inner.after);
      inner.inputs[input.name] = std::move(source);
    }
    inner.paths = values_.paths_of(here.step.job, here.name, here.level.scope.paths);
    const JobFile job = values_.job_of(here.level.scope, here.step);
    if (job.target) inner.target = job.target;
    if (!job.target && job.flow.target) inner.target = job.flow.target;
    inner.prefix += '.';
    const std::size_t before = steps_->size();
    Laid done{lay_pipeline(inner), {}};
    for (std::size_t i = before; i < steps_->size(); ++i) done.steps.push_back(i);
    return done;
  }

  Laid lay_job(const Here& here, const Scope& inner) {
    const std::size_t index = steps_->size();
    if (index >= kGraphStepsMax) {
      is_full_ = true;
      complaints_.add(here.step.mark,
                      fmt::format("the pipeline has more than {} steps", kGraphStepsMax), "");
      return {};
    }
    GraphStep made;
    made.name = here.name;
    made.mark = here.step.mark;
    made.folder = values_.folder_of(here.step.file);
    made.job = values_.job_of(here.level.scope, here.step);
    if (!made.job.target) made.job.target = inner.target;
    made.deterministic = made.job.deterministic;
    made.after = inner.after;
    made.items = here.items;
    wait_for(made.items, made.after);
    made.when = inner.when;
    for (const Condition& condition : made.when) wait_for(condition.output, made.after);
    for (Input& input : made.job.inputs) set_input(here, made, input);
    if (made.job.parallel) write_out_parallel(made.job, complaints_);
    Laid done{{}, {index}};
    for (Output& output : made.job.outputs) {
      done.outputs[output.name] = {{index, output.name}};
      values_.set_path(here.level.scope, here.name, output);
    }
    places_.push_back(inner.at);
    steps_->push_back(std::move(made));
    return done;
  }

  // What is given decides where the step does not say it.
  [[nodiscard]] bool gives_table(const Source& source) const {
    if (!source.made || source.made->empty()) return source.is_table;
    const StepOutput& one = source.made->front();
    const std::vector<Output>& outputs = (*steps_)[one.step].job.outputs;
    const auto made = std::ranges::find(outputs, one.output, &Output::name);
    return made != outputs.end() && is_table(made->type);
  }

  static void wait_for(const MadeBy& output, std::vector<std::size_t>& after) {
    for (const StepOutput& one : output) after.push_back(one.step);
  }

  void set_input(const Here& here, GraphStep& made, Input& input) {
    Source source = values_.source_of(here, input);
    if (!input.type && gives_table(source))
      input.type = Text{std::string(kTableType), input.mark, input.mark, true};
    if (source.made) {
      wait_for(*source.made, made.after);
      made.inputs[input.name] = std::move(*source.made);
      input.value.reset();
    } else if (source.text) {
      Text value = input.value.value_or(Text{"", input.mark, input.mark, false});
      value.text = std::move(*source.text);
      input.value = std::move(value);
      input.is_path = input.is_path || source.is_path;
      input.sha256 = std::move(source.sha256);
    } else {
      input.value.reset();
      input.swept = input.swept || !here.items.empty();
    }
    input.bound = false;
    input.otherwise.reset();
  }

  // ---- conditions and loops ----

  // Whether no branch that it is in is known not to be taken; adds the conditions of the others.
  static bool may_run(const Level& level, const Step& step, std::vector<Condition>& when) {
    for (const Guard& guard : step.guards) {
      const Decision& decision = level.decisions[guard.decision];
      if (decision.left_out || decision.known.value_or(guard.is) != guard.is) return false;
      for (const Condition& one : decision.when) add_once(when, one);
      if (!decision.known) add_once(when, {decision.output, guard.is});
    }
    return true;
  }

  void decide(Level& level, std::size_t number) {
    const Step& step = level.scope.pipeline.steps[number];
    if (step.control->kind != Control::Kind::if_else) return;
    Decision& decision = level.decisions[number];
    decision.left_out = !may_run(level, step, decision.when);
    if (decision.left_out) return;
    const Text& text = *step.control->condition;
    decision.known = truth_of(text.text);
    if (decision.known) return;
    const Source source = values_.source_in(level, text);
    if (source.made) {
      decision.output = source.made.value();
      return;
    }
    decision.left_out = true;
    if (source.text) decision.known = truth_of(*source.text);
    if (decision.known) decision.left_out = false;
    if (decision.left_out && !source.told) {
      complaints_.add(text.begin,
                      fmt::format("the condition must be true or false, not {}",
                                  in_quotes(source.text.value_or(""))),
                      "");
    }
  }

  // Each pass runs if the one before says so; those that do not are left out.
  Laid lay_passes(const Level& level, const Step& step, const Control& control,
                  const Scope& inner) {
    const std::optional<bool> known = truth_of(control.condition->text);
    const std::uint32_t passes = known == false ? 1 : control.most->number;
    Laid all;
    Laid before;
    for (std::uint32_t pass = 1; pass <= passes && !is_full_; ++pass) {
      Scope scope = inner;
      scope.prefix += fmt::format(".{}", pass);
      scope.at.push_back(pass);
      Here here{level, step, scope.prefix};
      if (pass > 1 && !carry(control, before, here, scope)) break;
      before = lay_once(here, scope);
      all.steps.insert(all.steps.end(), before.steps.begin(), before.steps.end());
      for (const auto& [name, made] : before.outputs) {
        MadeBy& last = all.outputs[name];
        if (known) last.clear();
        last.insert(last.begin(), made.begin(), made.end());
      }
    }
    return all;
  }

  // Whether there can be a next pass.
  bool carry(const Control& control, const Laid& before, Here& here, Scope& scope) {
    for (const Control::Carried& one : control.mapping) {
      const auto found = before.outputs.find(one.output.text);
      if (found == before.outputs.end()) return false;
      here.given[one.input.text].made = found->second;
    }
    if (control.says.empty()) return true;
    const auto says = before.outputs.find(control.says);
    if (says == before.outputs.end()) return false;
    scope.when.push_back({says->second, true});
    return true;
  }

  Laid lay_items(const Level& level, const Step& step, const Control& control, const Scope& inner) {
    if (control.items_from) {
      const Source source = values_.source_in(level, *control.items_from);
      if (source.made)
        return {{}, lay_job({level, step, inner.prefix, {}, *source.made}, inner).steps};
    }
    Laid all;
    std::size_t pass = 0;
    for (const Item& item : items(level, step, control)) {
      if (is_full_) break;
      Scope scope = inner;
      scope.prefix += "." + item.name;
      scope.at.push_back(pass++);
      Here here{level, step, scope.prefix};
      for (const Named& one : item.values) {
        Source& given = here.given[one.name];
        given = has_expression(one.value.text)
                    ? values_.source_in(level, one.value)
                    : Source{{}, one.value.text, values_.folder_of(one.mark.file)};
        given.mark = one.value.begin;
      }
      const Laid done = lay_once(here, scope);
      all.steps.insert(all.steps.end(), done.steps.begin(), done.steps.end());
    }
    return all;
  }

  std::vector<Item> items(const Level& level, const Step& step, const Control& control) {
    if (!control.items_from) return control.items;
    const Mark mark = control.items_from->begin;
    const Source source = values_.source_in(level, *control.items_from);
    if (!source.text) {
      if (!source.told) complaints_.add(mark, "the items have no value", "");
      return {};
    }
    std::vector<Item> items = items_in(*source.text, mark, complaints_);
    for (const Item& item : items) {
      for (const Named& one : item.values) {
        const auto& inputs = step.job.inputs;
        if (std::ranges::find(inputs, one.name, &Input::name) != inputs.end()) continue;
        complaints_.add(
            mark, fmt::format("the step {} has no input {}", step.name, in_quotes(one.name)), "");
        return {};
      }
    }
    return items;
  }

  // ---- order ----

  void put_in_order(Graph& graph) {
    const std::vector<std::size_t> order = ready_order(graph.steps);
    std::vector<std::size_t> moved(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) moved[order[i]] = i;
    std::vector<GraphStep> steps;
    steps.reserve(order.size());
    for (const std::size_t old : order) {
      move_numbers(steps.emplace_back(std::move(graph.steps[old])), moved);
    }
    graph.steps = std::move(steps);
    for (GraphOutput& output : graph.outputs) move_numbers(output.from, moved);
  }

  static void move_numbers(MadeBy& outputs, const std::vector<std::size_t>& moved) {
    for (StepOutput& output : outputs) output.step = moved[output.step];
  }

  static void move_numbers(GraphStep& step, const std::vector<std::size_t>& moved) {
    for (std::size_t& needed : step.after) needed = moved[needed];
    std::ranges::sort(step.after);
    step.after.erase(std::unique(step.after.begin(), step.after.end()), step.after.end());
    for (auto& [name, outputs] : step.inputs) move_numbers(outputs, moved);
    move_numbers(step.items, moved);
    for (Condition& condition : step.when) move_numbers(condition.output, moved);
  }

  // Of steps whose needs are met, the one first that stands first in the files.
  [[nodiscard]] std::vector<std::size_t> ready_order(const std::vector<GraphStep>& steps) const {
    std::vector<std::size_t> in_files(steps.size());
    std::iota(in_files.begin(), in_files.end(), std::size_t{0});
    std::ranges::sort(in_files,
                      [&](std::size_t a, std::size_t b) { return places_[a] < places_[b]; });
    std::vector<std::size_t> rank(steps.size());
    for (std::size_t i = 0; i < in_files.size(); ++i) rank[in_files[i]] = i;
    Waits waits(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (const std::size_t needed : steps[i].after) waits.add(rank[i], rank[needed]);
    }
    std::vector<std::size_t> order = waits.order();
    for (std::size_t& one : order) one = in_files[one];
    return order;
  }

  const PipelineFile& file_;
  Complaints& complaints_;
  GraphValues values_;
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
  if (const auto& name = head.name ? head.name : head.title) graph.name = name->text;
  if (head.title) graph.title = head.title->text;
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
