// Follows the expressions of a pipeline's steps.
#include "job/pipeline_order.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/nearest.hpp"
#include "job/binding.hpp"
#include "job/control.hpp"
#include "job/values.hpp"
#include "job/waits.hpp"
#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

using spec::in_quotes;

class Settler {
 public:
  Settler(Pipeline& pipeline, const ComponentFiles& files, Complaints& complaints)
      : pipeline_(pipeline), files_(files), complaints_(complaints), waits_(pipeline.steps.size()) {
    for (const Input& input : pipeline.head.inputs) inputs_.insert(input.name);
    for (const Output& output : pipeline.head.outputs) outputs_.insert(output.name);
  }

  void settle() {
    for (std::size_t i = 0; i < pipeline_.steps.size(); ++i) {
      if (pipeline_.steps[i].control) control(i);
    }
    for (std::size_t i = 0; i < pipeline_.steps.size(); ++i) step(i);
    begin_with_first();
    end_with_last();
    pipeline_.order = waits_.order();
    if (pipeline_.order.size() < pipeline_.steps.size()) tell_circle();
  }

 private:
  using Names = std::set<std::string, std::less<>>;

  void step(std::size_t number) {
    const Step& step = pipeline_.steps[number];
    for (const Input& input : step.job.inputs) {
      if (input.bound) value(number, *input.value);
      if (!input.value && !input.optional && !input.swept && !is_repeated(step) && !step.broken) {
        tell_missing(step, input);
      }
    }
    for (const Output& output : step.job.outputs) {
      if (output.bound) destination(*output.path);
    }
    for (const Later<JobFile>& later : step.later) {
      const Text text{later.node.text, later.node.begin, later.node.end, later.node.quoted};
      for (const Binding& piece : bindings_of(later.node.text)) {
        if (piece.parent) setting(text, piece);
      }
    }
  }

  void tell_missing(const Step& step, const Input& input) {
    complaints_.add(
        step.mark, fmt::format("the step {} gives its input {} no value", step.name, input.name),
        fmt::format("below its inputs: {}: VALUE, or ${{{{parent.inputs.NAME}}}}", input.name));
  }

  // ---- steps that decide about others ----

  // The loop of a body gives what its body does.
  [[nodiscard]] std::size_t made_by_step(std::size_t number) const {
    const std::optional<Control>& control = pipeline_.steps[number].control;
    return control && control->kind != Control::Kind::if_else && control->body_step
               ? *control->body_step
               : number;
  }

  // Runs once for each of some items.
  [[nodiscard]] bool is_repeated(const Step& step) const {
    return step.loop && pipeline_.steps[*step.loop].control->kind == Control::Kind::parallel_for;
  }

  void control(std::size_t number) {
    switch (pipeline_.steps[number].control->kind) {
      case Control::Kind::if_else:
        return branch(number);
      case Control::Kind::do_while:
        if (body(number)) repeat(number);
        return;
      case Control::Kind::parallel_for:
        if (body(number)) items(number);
    }
  }

  void branch(std::size_t number) {
    const Control& control = *pipeline_.steps[number].control;
    if (control.yes.empty() && control.no.empty() && !pipeline_.steps[number].broken) {
      complaints_.add(pipeline_.steps[number].mark, "this if_else decides about no step",
                      "add true_block: ${{parent.jobs.STEP}}");
    }
    for (const bool is : {true, false}) {
      for (const Text& block : is ? control.yes : control.no) {
        const std::optional<std::size_t> chosen = step_named(block);
        if (!chosen) continue;
        pipeline_.steps[*chosen].guards.push_back({number, is});
        waits_.add(*chosen, number);
      }
    }
    const std::optional<Text>& condition = control.condition;
    if (!condition || truth_of(condition->text)) return;
    const std::vector<Binding> pieces = bindings_of(condition->text);
    const Binding& piece = pieces.front();
    if (pieces.size() == 1 && piece.kind == Binding::Kind::input) {
      known_input(*condition, piece);
    } else if (pieces.size() == 1 && piece.kind == Binding::Kind::step_output) {
      needs(number, *condition, piece);
    } else {
      complaints_.add(condition->begin,
                      fmt::format("{} is not a condition", in_quotes(condition->text)),
                      "write true, false or ${{parent.jobs.STEP.outputs.NAME}}");
    }
  }

  // Finds the step that a loop repeats.
  bool body(std::size_t number) {
    Control& control = *pipeline_.steps[number].control;
    const std::optional<std::size_t> found =
        control.body ? step_named(*control.body) : std::nullopt;
    if (!found) return false;
    Step& body = pipeline_.steps[*found];
    if (body.control || body.loop) {
      complaints_.add(control.body->begin,
                      fmt::format("the step {} cannot be the body of this loop", body.name),
                      body.loop ? "it is the body of another one"
                                : "put it into a pipeline, and that into the loop");
      return false;
    }
    control.body_step = *found;
    body.loop = number;
    waits_.add(*found, number);
    return !body.broken;
  }

  void repeat(std::size_t number) {
    Control& control = *pipeline_.steps[number].control;
    const Step& body = pipeline_.steps[*control.body_step];
    if (control.condition && !truth_of(control.condition->text)) {
      control.says = own_output(*control.condition, body);
    }
    for (Control::Carried& carried : control.mapping) {
      known_output(body, carried.output);
      carried.input.text = own_input(carried.input, body);
    }
  }

  // "x" for ${{parent.jobs.BODY.outputs.x}}, and for x.
  std::string own_output(const Text& text, const Step& body) {
    Text name = text;
    const std::vector<Binding> pieces = bindings_of(text.text);
    const bool is_own = pieces.size() == 1 && pieces.front().kind == Binding::Kind::step_output &&
                        pieces.front().step == body.name;
    if (is_own) name.text = pieces.front().name;
    known_output(body, name);
    return name.text;
  }

  std::string own_input(const Text& text, const Step& body) {
    std::string name = text.text;
    const std::vector<Binding> pieces = bindings_of(text.text);
    const bool is_own = pieces.size() == 1 && pieces.front().kind == Binding::Kind::step_input &&
                        pieces.front().step == body.name;
    if (is_own) name = pieces.front().name;
    known_input_of(body, name, text.begin);
    return name;
  }

  void known_output(const Step& body, const Text& name) {
    const auto found = std::ranges::find(body.job.outputs, name.text, &Output::name);
    const bool made = body.pipeline == nullptr || body.pipeline->made.contains(name.text);
    if (found != body.job.outputs.end() && made) return;
    Names names;
    for (const Output& output : body.job.outputs) names.insert(output.name);
    complaints_.add(name.begin,
                    fmt::format("the step {} has no output {}", body.name, in_quotes(name.text)),
                    hint(name.text, names, "declare it below the step's outputs:"));
  }

  void known_input_of(const Step& body, const std::string& name, Mark mark) {
    const auto found = std::ranges::find(body.job.inputs, name, &Input::name);
    if (found != body.job.inputs.end()) return;
    Names names;
    for (const Input& input : body.job.inputs) names.insert(input.name);
    complaints_.add(mark, fmt::format("the step {} has no input {}", body.name, in_quotes(name)),
                    hint(name, names, "declare it below the step's inputs:"));
  }

  void items(std::size_t number) {
    const Control& control = *pipeline_.steps[number].control;
    const Step& body = pipeline_.steps[*control.body_step];
    if (control.items_from) {
      const std::vector<Binding> pieces = bindings_of(control.items_from->text);
      if (pieces.size() == 1 && pieces.front().kind == Binding::Kind::input) {
        return known_input(*control.items_from, pieces.front());
      }
      if (pieces.size() == 1 && pieces.front().kind == Binding::Kind::step_output) {
        return made_items(*control.body_step, *control.items_from, pieces.front());
      }
      return complaints_.add(control.items_from->begin, "these are no items",
                             "write them here, or ${{parent.inputs.NAME}}, or "
                             "${{parent.jobs.STEP.outputs.NAME}}");
    }
    for (const Item& item : control.items) {
      for (const Named& one : item.values) {
        known_input_of(body, one.name, one.mark);
        if (has_expression(one.value.text)) value(*control.body_step, one.value);
      }
    }
  }

  // They become steps of a step, which a pipeline and a sweep cannot be.
  void made_items(std::size_t body, const Text& text, const Binding& piece) {
    const Step& step = pipeline_.steps[body];
    if (needs(body, text, piece) && (step.pipeline || step.job.sweep)) {
      complaints_.add(text.begin, "items that a step makes are for a body that is one command",
                      "write them here, or ${{parent.inputs.NAME}}");
    }
  }

  // ${{parent.jobs.STEP}}, or STEP.
  std::optional<std::size_t> step_named(const Text& text) {
    const std::vector<Binding> pieces = bindings_of(text.text);
    const bool is_step = pieces.size() == 1 && pieces.front().kind == Binding::Kind::step;
    const std::string name = is_step ? pieces.front().step : text.text;
    const auto found = pipeline_.numbers.find(name);
    if (found != pipeline_.numbers.end()) return found->second;
    complaints_.add(text.begin, fmt::format("there is no step {}", in_quotes(name)),
                    nearest_step(name));
    return std::nullopt;
  }

  void value(std::size_t number, const Text& text) {
    const std::vector<Binding> pieces = bindings_of(text.text);
    for (const Binding& piece : pieces) {
      if (complaints_.full()) return;  // finding their places takes a while
      if (piece.kind == Binding::Kind::literal) continue;
      if (piece.kind == Binding::Kind::input) {
        known_input(text, piece);
      } else if (piece.kind == Binding::Kind::step_output) {
        if (needs(number, text, piece) && pieces.size() > 1) {
          add(text, piece, fmt::format("{} must stand alone", in_quotes(piece.raw)),
              "what is to follow it belongs into the step's command");
        }
      } else {
        means_nothing(text, piece);
      }
    }
  }

  void setting(const Text& text, const Binding& piece) {
    if (piece.kind == Binding::Kind::input) {
      known_input(text, piece);
    } else {
      means_nothing(text, piece);
    }
  }

  void destination(const Text& text) {
    const std::vector<Binding> pieces = bindings_of(text.text);
    if (pieces.size() > 1 || pieces.front().kind != Binding::Kind::output) {
      return complaints_.add(text.begin,
                             fmt::format("{} is not where an output can go", in_quotes(text.text)),
                             "write ${{parent.outputs.NAME}}, or a path");
    }
    const std::string& name = pieces.front().name;
    if (!outputs_.contains(name)) {
      return add(text, pieces.front(),
                 fmt::format("the pipeline has no output {}", in_quotes(name)),
                 hint(name, outputs_, "declare it below its outputs:"));
    }
    if (pipeline_.made.insert(name).second) return;
    add(text, pieces.front(), fmt::format("the output {} is made twice", in_quotes(name)),
        "give each step's output a name of its own below outputs:");
  }

  void known_input(const Text& text, const Binding& piece) {
    if (inputs_.contains(piece.name)) return;
    add(text, piece, fmt::format("the pipeline has no input {}", in_quotes(piece.name)),
        hint(piece.name, inputs_, "declare it below its inputs:"));
  }

  static bool is_undeclared_folder(const Step& step, const std::string& name) {
    const auto& outputs = step.job.outputs;
    return name == kRunFolderName && step.pipeline == nullptr && has_run_folder(step.job) &&
           std::ranges::find(outputs, name, &Output::name) == outputs.end();
  }

  // Whether there is such an output.
  bool needs(std::size_t number, const Text& text, const Binding& piece) {
    const auto found = pipeline_.numbers.find(piece.step);
    if (found == pipeline_.numbers.end()) {
      add(text, piece, fmt::format("there is no step {}", in_quotes(piece.step)),
          nearest_step(piece.step));
      return false;
    }
    const std::size_t made_by = made_by_step(found->second);
    waits_.add(number, made_by);
    Step& step = pipeline_.steps[made_by];
    if (step.broken) return true;
    if (step.control || is_repeated(step)) {
      add(text, piece, fmt::format("the step {} has no output", in_quotes(piece.step)),
          "a step that runs for each of some items leaves many of them");
      return false;
    }
    if (is_undeclared_folder(step, piece.name)) {
      Output& output = step.job.outputs.emplace_back();
      output.name = piece.name;
      output.mark = step.mark;
      output.is_undeclared = true;
    }
    if (std::ranges::find(step.job.outputs, piece.name, &Output::name) == step.job.outputs.end()) {
      Names outputs;
      for (const Output& output : step.job.outputs) outputs.insert(output.name);
      add(text, piece,
          fmt::format("the step {} has no output {}", step.name, in_quotes(piece.name)),
          hint(piece.name, outputs, "declare it below the step's outputs:"));
      return false;
    }
    if (step.pipeline == nullptr || step.pipeline->made.contains(piece.name)) return true;
    add(text, piece,
        fmt::format("no step of {} makes its output {}", step.name, in_quotes(piece.name)),
        fmt::format("one of them must have: outputs: NAME: ${{{{parent.outputs.{}}}}}",
                    piece.name));
    return false;
  }

  void begin_with_first() {
    if (!pipeline_.head.flow.first) return;
    pipeline_.first = step_named(*pipeline_.head.flow.first);
    for (std::size_t i = 0; pipeline_.first && i < pipeline_.steps.size(); ++i) {
      if (i != *pipeline_.first) waits_.add(i, *pipeline_.first);
    }
  }

  void end_with_last() {
    if (!pipeline_.head.flow.last) return;
    const Text& text = *pipeline_.head.flow.last;
    pipeline_.last = step_named(text);
    if (!pipeline_.last) return;
    const Step& step = pipeline_.steps[*pipeline_.last];
    if (step.pipeline || step.control || step.loop || !step.guards.empty()) {
      complaints_.add(text.begin, fmt::format("the step {} cannot be the last one", step.name),
                      "that is one command, which no loop and no if_else decides about");
    }
    for (const Input& input : step.job.inputs) {
      const auto pieces = input.bound ? bindings_of(input.value->text) : std::vector<Binding>();
      if (std::ranges::none_of(pieces, is_step_output)) continue;
      complaints_.add(
          input.value->begin,
          fmt::format("the last step, {}, also runs when this has not been made", step.name),
          "it can only have inputs of the pipeline");
    }
    for (std::size_t i = 0; i < pipeline_.steps.size(); ++i) {
      if (i != *pipeline_.last) waits_.add(*pipeline_.last, i);
    }
  }

  static bool is_step_output(const Binding& piece) {
    return piece.kind == Binding::Kind::step_output;
  }

  void tell_circle() {
    std::string names;
    const std::vector<std::size_t> circle = waits_.circle(pipeline_.order);
    for (const std::size_t step : circle) names += pipeline_.steps[step].name + " -> ";
    const Step& first = pipeline_.steps[circle.front()];
    complaints_.add(first.mark,
                    fmt::format("these steps wait for one another: {}", names + first.name),
                    "one of them must do without an output of the next");
  }

  void means_nothing(const Text& text, const Binding& piece) {
    const std::string why = piece.kind == Binding::Kind::wrong ? ": " + piece.name : "";
    add(text, piece, fmt::format("{} means nothing here{}", in_quotes(piece.raw), why),
        why.empty() ? "write ${{parent.inputs.NAME}} or ${{parent.jobs.STEP.outputs.NAME}}" : "");
  }

  std::string nearest_step(const std::string& typed) const {
    Names names;
    for (const Step& step : pipeline_.steps) names.insert(step.name);
    return hint(typed, names, "");
  }

  // Nobody mistypes one of thousands of names, and comparing with all of them takes a while.
  static std::string hint(const std::string& typed, const Names& names, std::string otherwise) {
    constexpr std::size_t kMost = 1000;
    if (names.size() > kMost) return otherwise;
    return base::did_you_mean(typed, std::vector<std::string>(names.begin(), names.end()),
                              std::move(otherwise));
  }

  void add(const Text& text, const Binding& piece, std::string what, std::string hint) {
    complaints_.add(files_.mark_of_part(text, piece.raw), std::move(what), std::move(hint));
  }

  Pipeline& pipeline_;
  const ComponentFiles& files_;
  Complaints& complaints_;
  Waits waits_;
  Names inputs_;
  Names outputs_;
};

}  // namespace

void settle(Pipeline& pipeline, const ComponentFiles& files, Complaints& complaints) {
  Settler(pipeline, files, complaints).settle();
}

}  // namespace muster::job
