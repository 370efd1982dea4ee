// The keys of if_else, do_while and parallel_for (CLI v2).
#include "job/control_keys.hpp"

namespace muster::job {
namespace {

using ControlKey = Key<Control>;

template <auto... Members>
constexpr auto kIntoControl = into<Control, Members...>;

constexpr ControlKey kControlType = {{"type", Form::text, "if_else, do_while or parallel_for."}};
constexpr ControlKey kControlName = {{"name", Form::text, "Its name in Azure ML."}};
constexpr ControlKey kControlTitle = {{"display_name", Form::text, "The name that people see."}};
constexpr ControlKey kControlText = {{"description", Form::text, "What it is for."}};
constexpr ControlKey kBody = {
    {"body", Form::text, "The step that is repeated: ${{parent.jobs.STEP}}.", {.required = true}},
    kIntoControl<&Control::body>};

constexpr ControlKey kIfElse[] = {
    kControlType,
    kControlName,
    kControlTitle,
    kControlText,
    {{"condition",
      Form::text,
      "true, false, or an output of a step that says so.",
      {.required = true}},
     kIntoControl<&Control::condition>},
    {{"true_block", Form::text, "Steps that run if it holds.", {.listed = true}},
     kIntoControl<&Control::yes>},
    {{"false_block", Form::text, "Steps that run if it does not.", {.listed = true}},
     kIntoControl<&Control::no>},
};

constexpr ControlKey kDoWhileLimits[] = {
    {{"max_iteration_count", Form::count, "How often the body runs at most.", {.required = true}},
     kIntoControl<&Control::most>},
};

constexpr ControlKey kDoWhile[] = {
    kControlType,
    kControlName,
    kControlTitle,
    kControlText,
    kBody,
    {{"condition",
      Form::text,
      "The output of the body that says whether it runs once more.",
      {.required = true}},
     kIntoControl<&Control::condition>},
    {{"mapping", Form::anything, "Outputs of the body that are inputs of its next run."}},
    {{"limits", Form::none, "What ends it.", {.required = true}}, nullptr, kDoWhileLimits},
};

constexpr Traits kAsSlotsAllow = {.support = no_effect("steps start as soon as slots are free")};

constexpr Traits kApart = {
    .support = no_effect("each item's outputs lie in the record of its step, steps/STEP.ITEM")};

constexpr ControlKey kParallelFor[] = {
    kControlType,
    kControlName,
    kControlTitle,
    kControlText,
    kBody,
    {{"items",
      Form::anything,
      "A list or map of items, each with inputs of the body; or JSON text.",
      {.required = true}}},
    {{"max_concurrency", Form::count, "How many run at the same time.", kAsSlotsAllow}},
    {{"outputs", Form::anything, "What its runs leave together.", kApart}},
};

}  // namespace

Table<Control> if_else_keys() { return kIfElse; }
Table<Control> do_while_keys() { return kDoWhile; }
Table<Control> parallel_for_keys() { return kParallelFor; }

}  // namespace muster::job
