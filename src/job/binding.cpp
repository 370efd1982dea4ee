// Cuts texts of a pipeline at their expressions.
#include "job/binding.hpp"

#include <algorithm>

#include "job/expression.hpp"

namespace muster::job {
namespace {

using Bound = Binding::Kind;

constexpr std::string_view kBindingForms =
    "write ${{parent.inputs.NAME}} or ${{parent.jobs.STEP.outputs.NAME}}";

bool drop(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// "x" for "x" and "x.path", as older files have it; empty for what is no name.
std::string_view bound_name(std::string_view text) {
  if (text.ends_with(".path")) text.remove_suffix(5);
  return is_name(text) ? text : std::string_view();
}

// "STEP", "STEP.outputs.NAME" or "STEP.inputs.NAME".
Binding step_binding(std::string_view word, std::string_view raw) {
  const std::size_t dot = word.find('.');
  const std::string_view step = word.substr(0, dot);
  if (!is_name(step)) return {Bound::wrong, std::string(kBindingForms), {}, raw};
  if (dot == std::string_view::npos) return {Bound::step, {}, std::string(step), raw};
  std::string_view rest = word.substr(dot + 1);
  const bool is_output = drop(rest, "outputs.");
  const bool is_input = !is_output && drop(rest, "inputs.");
  const std::string_view name = bound_name(rest);
  if (name.empty() || (!is_output && !is_input)) {
    return {Bound::wrong, std::string(kBindingForms), {}, raw};
  }
  const Bound kind = is_output ? Bound::step_output : Bound::step_input;
  return {kind, std::string(name), std::string(step), raw};
}

Binding binding_of(std::string_view word, std::string_view raw) {
  if (drop(word, "jobs.")) return step_binding(word, raw);
  const bool is_input = drop(word, "inputs.");
  const bool is_output = !is_input && drop(word, "outputs.");
  const std::string_view name = bound_name(word);
  if (name.empty() || (!is_input && !is_output)) {
    return {Bound::wrong, std::string(kBindingForms), {}, raw};
  }
  return {is_input ? Bound::input : Bound::output, std::string(name), {}, raw};
}

Binding braces(std::string_view inner, std::string_view raw) {
  std::string_view word = without_blanks(inner);
  const bool parent = drop(word, "parent.");
  Binding binding = binding_of(word, raw);
  binding.parent = parent;
  return binding;
}

}  // namespace

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") + 1 - first);
}

std::vector<Binding> bindings_of(std::string_view text) {
  std::vector<Binding> pieces;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find("${{"), text.size());
    if (begin > 0) {
      const std::string_view raw = text.substr(0, begin);
      pieces.push_back({Bound::literal, std::string(raw), {}, raw});
    }
    text.remove_prefix(begin);
    if (text.empty()) break;
    const std::size_t end = text.find("}}");
    if (end == std::string_view::npos) {
      pieces.push_back({Bound::wrong, "the expression has no end", {}, text});
      break;
    }
    pieces.push_back(braces(text.substr(3, end - 3), text.substr(0, end + 2)));
    text.remove_prefix(end + 2);
  }
  return pieces;
}

bool has_expression(std::string_view text) { return text.find("${{") != std::string_view::npos; }

bool names_parent(std::string_view text) {
  for (std::size_t at = text.find("${{"); at != std::string_view::npos; at = text.find("${{", at)) {
    at += 3;
    if (without_blanks(text.substr(at, 64)).starts_with("parent.")) return true;
  }
  return false;
}

}  // namespace muster::job
