// Follows the values of a pipeline into its steps.
#include "job/graph_values.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/nearest.hpp"
#include "job/input_type.hpp"
#include "job/output_names.hpp"
#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

using spec::in_quotes;

// Text with inputs of the pipeline in it.
void join(const Scope& scope, const std::vector<Binding>& pieces, Source& source) {
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

// Expressions that are not the pipeline's stay as they are.
std::vector<Binding> settings_in(const std::string& text) {
  std::vector<Binding> pieces = bindings_of(text);
  for (Binding& piece : pieces) {
    if (piece.parent) continue;
    piece.kind = Binding::Kind::literal;
    piece.name = std::string(piece.raw);
  }
  return pieces;
}

Mark mark_of_value(const Input& input) { return input.value ? input.value->begin : input.mark; }

Mark where_said(const Input& input, const Source& source) {
  return source.mark.line > 0 ? source.mark : mark_of_value(input);
}

}  // namespace

GraphValues::GraphValues(const PipelineFile& file, const std::vector<Setting>& settings,
                         const Bases& bases, Complaints& complaints)
    : file_(file), bases_(bases), complaints_(complaints) {
  for (const Setting& setting : settings) {
    (setting.key.starts_with("jobs.") ? of_steps_ : of_pipeline_).push_back(setting);
  }
}

std::string GraphValues::folder_of(std::uint32_t file) const {
  return below(bases_.file, file_.files[file].folder);
}

// ---- inputs ----

Sources GraphValues::inputs() {
  const JobFile& head = file_.root.head;
  const std::size_t before = complaints_.size();
  const Values values = values_of(head, of_pipeline_, bases_, complaints_);
  const bool told = complaints_.size() > before;
  Sources sources;
  for (const Input& input : head.inputs) {
    Source& source = sources[input.name];
    source.text = values.inputs.find(input.name)->second;
    const auto is_set = std::ranges::count(of_pipeline_, "inputs." + input.name, &Setting::key);
    source.folder = is_set > 0 ? bases_.here : folder_of(input.mark.file);
    source.is_path = type_of(input, head.dialect) == InputType::path;
    source.is_table = is_table(input.type);
    source.told = told && !source.text && !input.optional;
    const auto digest = values.digests.find(input.name);
    if (digest != values.digests.end()) source.sha256 = digest->second;
    source.led = source.is_path;
  }
  return sources;
}

Source GraphValues::source_of(const Here& here, const Input& input) {
  const auto looped = here.given.find(input.name);
  bool is_said = !input.bound && looped == here.given.end();
  Source source = looped == here.given.end() ? said(here, input) : looped->second;
  if (const Setting* given = setting_of(here.name, input.name)) {
    source = Source{std::nullopt, given->value, bases_.here};
    is_said = false;
  }
  if (source.made || source.told) return source;
  if (!source.text) {
    source.told = !input.optional && !input.swept && here.items.empty();
    if (source.told) tell_missing(here, input);
    return source;
  }
  const InputType type = type_of(input, here.step.job.dialect).value_or(InputType::text);
  if (source.is_path || type == InputType::path) {
    source.is_path = true;
    reach(here, input, source);
  } else if (auto wrong = is_said ? std::nullopt : misfit(input, type, *source.text)) {
    complaints_.add(where_said(input, source),
                    fmt::format("jobs.{}.inputs.{} {}", here.name, input.name, wrong->what),
                    std::move(wrong->hint));
    source.told = true;
  }
  return source;
}

Source GraphValues::said(const Here& here, const Input& input) {
  if (!input.value) return {};
  Source source;
  if (input.bound) {
    source = source_in(here.level, *input.value);
  } else {
    source.text = input.value->text;
    source.folder = folder_of(input.value->begin.file);
  }
  if (type_of(input, here.step.job.dialect) == InputType::path) source.is_path = true;
  if (!source.made && !source.text && !source.told && input.otherwise) {
    source.text = input.otherwise->text;
    source.folder = folder_of(input.otherwise->begin.file);
  }
  return source;
}

Source GraphValues::source_in(const Level& level, const Text& text) {
  const std::vector<Binding> pieces = bindings_of(text.text);
  if (pieces.size() == 1) return one_piece(level, pieces.front(), text.begin);
  Source source;
  source.folder = folder_of(text.begin.file);
  join(level.scope, pieces, source);
  return source;
}

Source GraphValues::one_piece(const Level& level, const Binding& piece, Mark mark) {
  if (piece.kind == Binding::Kind::input) return level.scope.inputs.find(piece.name)->second;
  const std::vector<Step>& steps = level.scope.pipeline.steps;
  std::size_t number = level.scope.pipeline.numbers.find(piece.step)->second;
  if (steps[number].control) number = *steps[number].control->body_step;
  const Laid& laid = level.laid[number];
  const auto found = laid.outputs.find(piece.name);
  Source source;
  if (found != laid.outputs.end()) {
    source.made = found->second;
    return source;
  }
  source.told = true;  // or there are too many steps, which has been told
  if (laid.left_out) {
    complaints_.add(
        mark,
        fmt::format("the step {} is left out, and its output is needed here", steps[number].name),
        "its if_else says so");
  }
  return source;
}

JobFile GraphValues::job_of(const Scope& scope, const Step& step) {
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

void GraphValues::reach(const Here& here, const Input& input, Source& source) {
  if (!is_elsewhere(*source.text)) {
    source.text = placed(source.folder, bases_.home, *source.text);
    return;
  }
  Bases bases = bases_;
  if (source.led) bases.find = {};  // it has been looked for
  auto place = reached(
      input, *source.text, bases,
      {where_said(input, source), fmt::format("the input {} of step {}", input.name, here.name),
       fmt::format("jobs.{}.inputs.{}", here.name, input.name)},
      complaints_);
  source.told = !place;
  if (!place) return;
  source.text = std::move(place->to);
  if (!place->sha256.empty()) source.sha256 = std::move(place->sha256);
  source.led = true;
}

void GraphValues::tell_missing(const Here& here, const Input& input) {
  complaints_.add(
      mark_of_value(input),
      fmt::format("the input {} of step {} has no value", input.name, here.name),
      fmt::format("give it one below the step's inputs:, or --set jobs.{}.inputs.{}=VALUE",
                  here.name, input.name));
}

// ---- outputs ----

OutputPaths GraphValues::paths_of(const JobFile& job, const std::string& step,
                                  const OutputPaths& outer) {
  OutputPaths paths;
  for (const Output& output : job.outputs) {
    if (output.bound) {
      const auto found = outer.find(bindings_of(output.path->text).front().name);
      if (found != outer.end()) paths[output.name] = found->second;
    } else if (output.path) {
      paths[output.name] = {absolute(*output.path, step), output.overwrite};
    }
  }
  return paths;
}

void GraphValues::set_path(const Scope& scope, const std::string& step, Output& output) {
  if (output.bound) {
    const std::string name = bindings_of(output.path->text).front().name;
    const auto& declared = scope.pipeline.head.outputs;
    const auto own = std::ranges::find(declared, name, &Output::name);
    if (!output.type && own != declared.end()) output.type = own->type;
    const auto found = scope.paths.find(name);
    output.path.reset();
    if (found != scope.paths.end()) {
      output.path = found->second.path;
      output.overwrite |= found->second.overwrite;
    }
    output.bound = false;
  } else if (output.path) {
    output.path = absolute(*output.path, step);
  }
}

Text GraphValues::absolute(Text path, const std::string& step) {
  OutputNames names{bases_.run + (step.empty() ? "" : "." + step)};
  if (const auto& store = file_.root.head.flow.store) names.store = store_of(store->text);
  path = led_output(std::move(path), names, bases_.find, complaints_);
  if (!is_elsewhere(path.text)) path.text = below(folder_of(path.begin.file), path.text);
  return path;
}

// ---- settings ----

const Setting* GraphValues::setting_of(const std::string& step, const std::string& input) {
  if (of_steps_.empty()) return nullptr;
  const std::string key = fmt::format("jobs.{}.inputs.{}", step, input);
  const auto last = std::ranges::find(of_steps_.rbegin(), of_steps_.rend(), key, &Setting::key);
  if (last == of_steps_.rend()) return nullptr;
  used_.insert(key);
  return &*last;
}

void GraphValues::tell_unused(const std::vector<GraphStep>& steps) {
  constexpr std::size_t kMost = 1000;
  for (const Setting& setting : of_steps_) {
    if (used_.contains(setting.key)) continue;
    std::vector<std::string> names;
    for (const GraphStep& step : steps) {
      for (const Input& input : step.job.inputs) {
        if (names.size() == kMost) break;
        names.push_back(fmt::format("jobs.{}.inputs.{}", step.name, input.name));
      }
    }
    complaints_.add(
        {}, "--set " + in_quotes(setting.key) + ": no step has such an input",
        base::did_you_mean(setting.key, names, "write --set jobs.STEP.inputs.NAME=VALUE"));
  }
}

}  // namespace muster::job
