// Writes tables of keys as JSON Schema.
#include "job/schema.hpp"

#include <nlohmann/json.hpp>

#include "base/words.hpp"
#include "job/sweep_keys.hpp"
#include "job/tables.hpp"

namespace muster::job {
namespace {

using Json = nlohmann::ordered_json;

Json object(JobTable table);

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
      return {{"type", "integer"}, {"minimum", key.traits.least}, {"maximum", 1000000}};
    case Form::number:
      return {{"type", "number"}};
    case Form::boolean:
      return {{"type", "boolean"}};
    case Form::quantity:
      return {{"type", {"string", "number"}}};
    case Form::choice:
      return key.traits.any_case ? in_any_case(key.traits.choices) : choices(key.traits.choices);
  }
  return Json::object();
}

// What may stand for the key once: a text, a map, or either.
Json of_one(const JobKey& key) {
  if (key.below.empty()) return of_form(key.text);
  if (key.text.form == Form::none) return object(key.below);
  return {{"anyOf", {of_form(key.text), object(key.below)}}};
}

Json of_key(const JobKey& key) {
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

Json object(JobTable table) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const JobKey& key : table) {
    properties[std::string(key.text.name)] = of_key(key);
    if (key.text.traits.required) required.push_back(key.text.name);
  }
  Json whole = {{"type", "object"}};
  if (!required.empty()) whole["required"] = std::move(required);
  whole["properties"] = std::move(properties);
  whole["additionalProperties"] = false;
  return whole;
}

}  // namespace

std::string schema() {
  Json whole = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "a job file"}};
  Json any = Json::array();
  for (const Dialect dialect :
       {Dialect::native, Dialect::command, Dialect::draft, Dialect::component}) {
    Json one = {{"title", word(dialect)}};
    one.update(object(table_of(dialect)));
    any.push_back(std::move(one));
  }
  Json sweep = {{"title", "a sweep"}};
  sweep.update(object(sweep_keys()));
  any.push_back(std::move(sweep));
  whole["anyOf"] = std::move(any);
  return whole.dump(2) + "\n";
}

}  // namespace muster::job
