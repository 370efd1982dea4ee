// Turns components that a command job or a sweep holds into keys of the job itself.
#include "job/unfolded.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "job/binding.hpp"
#include "job/expression.hpp"

namespace muster::job {
namespace {

constexpr std::string_view kScheme = "azureml:";

// Keys of a component that say nothing of a job that holds it.
bool is_of_component_only(std::string_view key) {
  return key == "name" || key == "version" || key == "is_deterministic";
}

void put(Node& map, const Entry& entry) {
  const auto found = std::ranges::find(map.entries, entry.key, &Entry::key);
  if (found == map.entries.end()) {
    map.entries.push_back(entry);
  } else {
    *found = entry;
  }
}

void put_value(Node& map, const Entry& at, Node value) {
  put(map, {at.key, at.mark, std::make_shared<const Node>(std::move(value))});
}

void drop(Node& map, std::string_view key) {
  std::erase_if(map.entries, [&](const Entry& entry) { return entry.key == key; });
}

// The entry of that name that is a map, or null.
const Entry* map_below(const Node& node, std::string_view key) {
  const Entry* entry = find(node, key);
  return entry != nullptr && entry->value->kind == Kind::map ? entry : nullptr;
}

bool has_text(const Node& node, std::string_view key, std::string_view text) {
  const Entry* entry = find(node, key);
  return entry != nullptr && entry->value->text == text;
}

bool says_nothing(const Node& node) {
  return node.kind == Kind::nothing || (node.kind == Kind::map && node.entries.empty());
}

// ---- values of inputs ----

// The SDK writes True as 1.
Node value_for(const Node& declared, const Node& given) {
  Node value = given;
  if (!has_text(declared, "type", "boolean")) return value;
  if (value.text == "1") value.text = "True";
  if (value.text == "0") value.text = "False";
  return value;
}

// What a component declares of an input, with a value for it.
Node with_value(const Node& declared, const Entry& given) {
  Node input = declared;
  if (given.value->kind == Kind::text) {
    put_value(input, {"default", given.mark, nullptr}, value_for(declared, *given.value));
  }
  for (const Entry& entry : given.value->entries) put(input, entry);
  return input;
}

void merge_inputs(Node& into, const Entry& given) {
  Node inputs = *find(into, "inputs")->value;
  for (const Entry& entry : given.value->entries) {
    const Entry* declared = map_below(inputs, entry.key);
    if (declared == nullptr) {
      put(inputs, entry);
    } else {
      put_value(inputs, *declared, with_value(*declared->value, entry));
    }
  }
  put_value(into, given, std::move(inputs));
}

// "azureml:/data/x" and "azureml:./x" are paths that a program gave: names in Azure have no such
// form.
bool is_path_of_program(std::string_view text) {
  if (!text.starts_with(kScheme) || text.starts_with("azureml://")) return false;
  text.remove_prefix(kScheme.size());
  return text.starts_with("/") || text.starts_with("./") || text.starts_with("../");
}

Node without_azureml(const Node& input) {
  Node plain = input;
  const Entry* path = find(input, "path");
  if (path == nullptr || !is_path_of_program(path->value->text)) return plain;
  Node value = *path->value;
  value.text.erase(0, kScheme.size());
  put_value(plain, *path, std::move(value));
  return plain;
}

void make_paths_plain(Node& job) {
  const Entry* found = map_below(job, "inputs");
  if (found == nullptr) return;
  const Entry inputs = *found;
  Node plain = *inputs.value;
  for (Entry& entry : plain.entries) {
    entry.value = std::make_shared<const Node>(without_azureml(*entry.value));
  }
  put_value(job, inputs, std::move(plain));
}

// ---- pipelines ----

// Inputs of a pipeline by what its steps bind to them: a type, or "" where these differ.
using BoundTypes = std::map<std::string, std::string>;

std::string type_of(const Node& declared) {
  const Entry* type = find(declared, "type");
  return type != nullptr ? type->value->text : "";
}

// "x" for {path: "${{parent.inputs.x}}"}, as the SDK binds inputs, and nobody else.
std::optional<std::string> bound_input(const Node& value) {
  const Entry* path = value.entries.size() == 1 ? find(value, "path") : nullptr;
  if (path == nullptr) return std::nullopt;
  const std::vector<Binding> pieces = bindings_of(path->value->text);
  if (pieces.size() != 1 || pieces.front().kind != Binding::Kind::input) return std::nullopt;
  return pieces.front().name;
}

void note_bound(BoundTypes& bound, const std::string& name, const std::string& type) {
  const auto [place, is_new] = bound.try_emplace(name, type);
  if (!is_new && place->second != type) place->second.clear();
}

// Gives values of the component's types to it, and tells what the pipeline's inputs are for.
void fit_inputs(Node& step, const Node& component, BoundTypes& bound) {
  const Entry* found = map_below(step, "inputs");
  const Entry* declared = map_below(component, "inputs");
  if (found == nullptr || declared == nullptr) return;
  const Entry inputs = *found;
  Node fitted = *inputs.value;
  for (Entry& entry : fitted.entries) {
    const Entry* one = map_below(*declared->value, entry.key);
    if (one == nullptr) continue;
    const std::optional<std::string> name = bound_input(*entry.value);
    if (name) note_bound(bound, *name, type_of(*one->value));
    entry.value = std::make_shared<const Node>(value_for(*one->value, *entry.value));
  }
  put_value(step, inputs, std::move(fitted));
}

Node text_node(Mark mark, std::string text) {
  Node node;
  node.kind = Kind::text;
  node.begin = node.end = mark;
  node.text = std::move(text);
  return node;
}

// One whose parameter has no annotation in the function that has become the pipeline.
Node bare_input(Mark mark, const std::string& type) {
  Node input;
  input.kind = Kind::map;
  input.begin = input.end = mark;
  if (!type.empty()) put_value(input, {"type", mark, nullptr}, text_node(mark, type));
  put_value(input, {"optional", mark, nullptr}, text_node(mark, "true"));
  return input;
}

void declare_bound(Node& pipeline, const BoundTypes& bound) {
  const Entry* found = map_below(pipeline, "inputs");
  if (bound.empty() || (found == nullptr && find(pipeline, "inputs") != nullptr)) return;
  const Mark mark = found != nullptr ? found->mark : pipeline.begin;
  const Entry at = {"inputs", mark, nullptr};
  Node inputs = found != nullptr ? *found->value : bare_input(mark, "");
  if (found == nullptr) inputs.entries.clear();
  for (const auto& [name, type] : bound) {
    const Entry* own = find(inputs, name);
    if (own == nullptr) {
      put_value(inputs, {name, mark, nullptr}, bare_input(mark, type));
    } else if (own->value->kind == Kind::text) {
      put_value(inputs, *own, value_for(bare_input(mark, type), *own->value));
    }
  }
  put_value(pipeline, at, std::move(inputs));
}

void unfold_pipeline(Node& pipeline);

// Of a step that holds its component, as the SDK writes it with its name.
void unfold_step(Node& step, BoundTypes& bound) {
  make_paths_plain(step);
  const Entry* found = map_below(step, "component");
  if (found == nullptr || find(*found->value, "name") == nullptr) return;
  const Entry at = *found;
  Node component = *at.value;
  if (map_below(component, "jobs") != nullptr) unfold_pipeline(component);
  fit_inputs(step, component, bound);
  put_value(step, at, std::move(component));
}

// The SDK does not declare an input that the function has no annotation for.
void unfold_pipeline(Node& pipeline) {
  const Entry* found = map_below(pipeline, "jobs");
  if (found == nullptr) return;
  const Entry jobs = *found;
  Node plain = *jobs.value;
  BoundTypes bound;
  for (Entry& entry : plain.entries) {
    Node step = *entry.value;
    unfold_step(step, bound);
    entry.value = std::make_shared<const Node>(std::move(step));
  }
  put_value(pipeline, jobs, std::move(plain));
  declare_bound(pipeline, bound);
}

// ---- command jobs ----

Node unfolded_command(const Node& root, const Node& component) {
  Node job = root;
  job.entries.clear();
  for (const Entry& entry : component.entries) {
    if (!is_of_component_only(entry.key)) job.entries.push_back(entry);
  }
  for (const Entry& entry : root.entries) {
    if (entry.key == "component" || says_nothing(*entry.value)) continue;
    if (entry.key == "inputs" && map_below(job, "inputs") != nullptr &&
        entry.value->kind == Kind::map) {
      merge_inputs(job, entry);
    } else {
      put(job, entry);
    }
  }
  return job;
}

// ---- sweeps ----

// "${{inputs.lr}}" of what varies is "${{search_space.lr}}" in files that people write.
std::string with_search_space(std::string_view command, const Node& space, const Node* inputs) {
  std::string text;
  for (const Piece& piece : pieces_of(command, Dialect::command)) {
    const bool varies = piece.kind == Piece::Kind::input && find(space, piece.text) != nullptr &&
                        (inputs == nullptr || find(*inputs, piece.text) == nullptr);
    text += varies ? "${{search_space." + piece.text + "}}" : std::string(piece.raw);
  }
  return text;
}

// The trial's inputs that do not vary are those of the sweep.
void move_inputs(Node& sweep, Node& trial, const Node& space) {
  const Entry* found = map_below(trial, "inputs");
  if (found == nullptr) return;
  const Entry declared = *found;
  const Entry* given = map_below(sweep, "inputs");
  const Entry said = given == nullptr ? Entry{"inputs", declared.mark, nullptr} : *given;
  Node kept = *declared.value;
  std::erase_if(kept.entries,
                [&](const Entry& entry) { return find(space, entry.key) != nullptr; });
  drop(trial, "inputs");
  put_value(sweep, said, std::move(kept));
  if (given != nullptr) merge_inputs(sweep, said);
}

void move_outputs(Node& sweep, Node& trial) {
  const Entry* found = map_below(trial, "outputs");
  if (found == nullptr) return;
  const Entry outputs = *found;
  drop(trial, "outputs");
  const Entry* own = find(sweep, "outputs");
  if (own == nullptr || says_nothing(*own->value)) put(sweep, outputs);
}

Node unfolded_sweep(const Node& root, const Entry& at, const Node& space) {
  Node sweep = root;
  Node trial = *at.value;
  if (map_below(trial, "inputs") != nullptr) {
    std::erase_if(trial.entries,
                  [](const Entry& entry) { return is_of_component_only(entry.key); });
  }
  move_inputs(sweep, trial, space);
  move_outputs(sweep, trial);
  if (const Entry* command = find(trial, "command"); command != nullptr) {
    const Entry inputs = map_below(sweep, "inputs") ? *map_below(sweep, "inputs") : Entry{};
    const Entry entry = *command;
    Node text = *entry.value;
    text.text = with_search_space(text.text, space, inputs.value.get());
    put_value(trial, entry, std::move(text));
  }
  put_value(sweep, at, std::move(trial));
  return sweep;
}

// "parameters: {}" and "properties: {}" stand in all that older classes write.
void drop_empty(Node& job, std::string_view key) {
  const Entry* entry = find(job, key);
  if (entry != nullptr && says_nothing(*entry->value)) drop(job, key);
}

Node unfolded_job(const Node& root) {
  const Entry* component = map_below(root, "component");
  const Entry* trial = map_below(root, "trial");
  const Entry* space = map_below(root, "search_space");
  if (has_text(root, "type", "sweep") && trial != nullptr && space != nullptr) {
    return unfolded_sweep(root, *trial, *space->value);
  }
  return component != nullptr ? unfolded_command(root, *component->value) : root;
}

}  // namespace

SharedNode unfolded(SharedNode root) {
  const auto is_of = [&](std::string_view type) { return has_text(*root, "type", type); };
  if (!root || !(is_of("command") || is_of("sweep") || is_of("pipeline"))) return root;
  Node job = unfolded_job(*root);
  make_paths_plain(job);
  unfold_pipeline(job);
  for (const std::string_view key : {"parameters", "properties"}) drop_empty(job, key);
  return std::make_shared<const Node>(std::move(job));
}

}  // namespace muster::job
