// Writes tables of keys as JSON Schema.
#include "job/schema.hpp"

#include <nlohmann/json.hpp>

#include "base/words.hpp"
#include "job/control_keys.hpp"
#include "job/kind_jobs.hpp"
#include "job/pipeline_keys.hpp"
#include "job/sweep_keys.hpp"
#include "job/tables.hpp"

namespace muster::job {
namespace {

using Json = nlohmann::ordered_json;

// Numbers, true and false are text as they are written.
Json scalars() { return {{"type", {"string", "number", "boolean"}}}; }

Json choices(std::string_view words) { return {{"enum", base::split(words, " ")}}; }

// The words are what editors offer; the pattern takes them in any case.
Json in_any_case(std::string_view words) {
  std::string pattern = "^(";
  for (const char c : words) {
    const bool letter = c >= 'a' && c <= 'z';
    if (letter) pattern += {'[', c, static_cast<char>(c - 'a' + 'A'), ']'};
    if (!letter) pattern += c == ' ' ? '|' : c;
  }
  return {{"anyOf", {choices(words), {{"type", "string"}, {"pattern", pattern + ")$"}}}}};
}

Json of_form(const KeyText& key) {
  switch (key.form) {
    case Form::none:
    case Form::anything:
      return Json::object();
    case Form::text:
      return scalars();
    case Form::count:
      return {{"type", "integer"}, {"minimum", key.traits.least}, {"maximum", key.traits.most}};
    case Form::number:
      return key.traits.positive ? Json{{"type", "number"}, {"exclusiveMinimum", 0}}
                                 : Json{{"type", "number"}};
    case Form::integer:
      return {{"type", "integer"}, {"minimum", key.traits.lowest}, {"maximum", kIntegerMax}};
    case Form::batch:
      return {{"type", {"string", "number"}}};
    case Form::boolean:
      return {{"type", "boolean"}};
    case Form::quantity:
      return {{"type", {"string", "number"}}};
    case Form::choice:
      return key.traits.any_case ? in_any_case(key.traits.choices) : choices(key.traits.choices);
  }
  return Json::object();
}

// In a step of a pipeline, an expression may stand for most values.
Json or_expression(Json one) {
  return {{"anyOf", {std::move(one), {{"type", "string"}, {"pattern", R"(\$\{\{)"}}}}};
}

// Writes the tables of one kind of file.
template <class Draft>
class Writer {
 public:
  explicit Writer(bool in_step) : in_step_(in_step) {}

  Json object(Table<Draft> table) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const Key<Draft>& key : table) {
      properties[std::string(key.text.name)] = of_key(key);
      if (key.text.traits.required) required.push_back(key.text.name);
    }
    Json whole = {{"type", "object"}};
    if (!required.empty()) whole["required"] = std::move(required);
    whole["properties"] = std::move(properties);
    whole["additionalProperties"] = false;
    return whole;
  }

 private:
  Json of_text(const KeyText& key) {
    const bool is_any = key.form == Form::text || key.form == Form::none ||
                        key.form == Form::anything || key.traits.fixed;
    return in_step_ && !is_any ? or_expression(of_form(key)) : of_form(key);
  }

  // What may stand for the key once: a text, a map, or either.
  Json of_one(const Key<Draft>& key) {
    if (key.below.empty()) return of_text(key.text);
    if (key.text.form == Form::none) return object(key.below);
    return {{"anyOf", {of_text(key.text), object(key.below)}}};
  }

  Json of_key(const Key<Draft>& key) {
    Json one = of_one(key);
    if (key.text.traits.each) {
      // A name alone is enough for an output.
      Json named = key.below.empty() ? one : Json{{"anyOf", {std::move(one), {{"type", "null"}}}}};
      one = {{"type", {"object", "null"}}, {"additionalProperties", std::move(named)}};
    } else if (key.text.traits.listed) {
      Json list = {{"type", "array"}, {"items", one}};
      one = {{"anyOf", {std::move(one), std::move(list)}}};
    }
    one["description"] = key.text.help;
    return one;
  }

  bool in_step_;
};

Json titled(std::string_view title, JobTable table) {
  Json one = {{"title", title}};
  one.update(Writer<JobFile>(false).object(table));
  return one;
}

Json step(std::string_view title, JobTable table, std::string_view needed = "") {
  Json one = {{"title", title}};
  one.update(Writer<JobFile>(true).object(table));
  if (!needed.empty()) one["required"] = {needed};
  return one;
}

Json control(std::string_view title, Table<Control> table) {
  Json one = {{"title", title}};
  one.update(Writer<Control>(false).object(table));
  return one;
}

// What one of the `jobs` may be.
Json steps() {
  return {{"anyOf",
           {step("a step with a component", step_keys(), "component"),
            step("a pipeline as a step", pipeline_step_keys(), "component"),
            step("a parallel component as a step", parallel_step_keys(), "component"),
            step("a command as a step", command_keys()),
            step("a parallel job as a step", parallel_keys()),
            step("a sweep as a step", sweep_keys()),
            control("if_else", if_else_keys()),
            control("do_while", do_while_keys()),
            control("parallel_for", parallel_for_keys()),
            {{"$ref", "#/definitions/pipeline"}}}}};
}

Json pipeline() {
  Json whole = titled("a pipeline", pipeline_keys());
  Json jobs = {{"type", "object"},
               {"minProperties", 1},
               {"additionalProperties", {{"$ref", "#/definitions/step"}}}};
  jobs["description"] = whole["properties"]["jobs"]["description"];
  whole["properties"]["jobs"] = std::move(jobs);
  whole["anyOf"] = {{{"required", {"jobs"}}}, {{"required", {"component"}}}};
  return whole;
}

}  // namespace

std::string schema() {
  Json whole = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "a job file"}};
  Json any = Json::array();
  for (const Dialect dialect :
       {Dialect::native, Dialect::command, Dialect::draft, Dialect::component}) {
    any.push_back(titled(word(dialect), table_of(dialect)));
  }
  any.push_back(titled("a sweep", sweep_keys()));
  any.push_back(titled("a kind job", kind_keys()));
  any.push_back(titled("a parallel job", parallel_keys()));
  any.push_back({{"$ref", "#/definitions/pipeline"}});
  whole["anyOf"] = std::move(any);
  whole["definitions"] = {{"pipeline", pipeline()}, {"step", steps()}};
  return whole.dump(2) + "\n";
}

}  // namespace muster::job
