// Bindings: expressions with which the steps of a pipeline name its inputs and one another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::job {

struct Binding {
  enum class Kind : std::uint8_t {
    literal,
    input,        // of the pipeline: ${{parent.inputs.NAME}}
    output,       // of the pipeline: ${{parent.outputs.NAME}}
    step,         // ${{parent.jobs.STEP}}
    step_input,   // ${{parent.jobs.STEP.inputs.NAME}}
    step_output,  // ${{parent.jobs.STEP.outputs.NAME}}
    wrong,        // nothing of these; `name` says why
  };
  Kind kind;
  std::string name;      // literal text, or the name of an input or output
  std::string step;      // of those that say STEP
  std::string_view raw;  // as it stands in the whole text
  bool parent = false;   // it begins with `parent.`
};

// The pieces of a text, which must outlive them. Older files leave out `parent.`, write
// ${{parent.inputs.NAME.path}}, or have blanks within the braces.
[[nodiscard]] std::vector<Binding> bindings_of(std::string_view text);

// Whether a text has an expression at all, and one that begins with `parent.`
[[nodiscard]] bool has_expression(std::string_view text);
[[nodiscard]] bool names_parent(std::string_view text);

// What stands within braces, without the blanks around it.
[[nodiscard]] std::string_view without_blanks(std::string_view text);

}  // namespace muster::job
