// Knows the types of Azure ML's inputs, old and new.
#include "job/input_type.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/nearest.hpp"
#include "base/words.hpp"
#include "job/number.hpp"
#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

using spec::in_quotes;

struct TypeWord {
  std::string_view word;  // in lower case
  InputType type;
};

constexpr TypeWord kTypes[] = {
    {"string", InputType::text},       {"number", InputType::number},
    {"integer", InputType::integer},   {"boolean", InputType::boolean},
    {"enum", InputType::choice},       {"path", InputType::path},
    {"uri_file", InputType::path},     {"uri_folder", InputType::path},
    {kTableType, InputType::path},     {"mlflow_model", InputType::path},
    {"custom_model", InputType::path}, {"triton_model", InputType::path},
    {"float", InputType::number},      {"int", InputType::integer},
    {"bool", InputType::boolean},      {"anyfile", InputType::path},
    {"anydirectory", InputType::path}, {"azuremldataset", InputType::path},
};

bool is_integer(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_boolean(std::string_view text) {
  const std::string low = base::lower(text);
  return low == "true" || low == "false";
}

// Components name folders after what they hold: ImageDirectory, ModelDirectory, ZipFile.
bool is_kind_of_path(std::string_view low, Dialect dialect) {
  return dialect == Dialect::component && (low.ends_with("directory") || low.ends_with("file"));
}

std::optional<InputType> type_named(std::string_view word, Dialect dialect) {
  const std::string low = base::lower(word);
  const auto* known = std::ranges::find(kTypes, low, &TypeWord::word);
  if (known != std::end(kTypes)) return known->type;
  if (is_kind_of_path(low, dialect)) return InputType::path;
  return std::nullopt;
}

// The nearest type, or all of them.
std::string type_hint(std::string_view typed) {
  std::vector<std::string> known;
  for (const TypeWord& type : kTypes) known.emplace_back(type.word);
  known.resize(12);  // the last ones are old names
  return base::did_you_mean(base::lower(typed), known,
                            fmt::format("types that are allowed here: {}", fmt::join(known, ", ")));
}

std::optional<Misfit> misfit_of_bounds(const Input& input, double number, std::string_view value) {
  const auto least = input.least ? number_of(input.least->text) : std::nullopt;
  const auto most = input.most ? number_of(input.most->text) : std::nullopt;
  const bool fits = (!least || number >= *least) && (!most || number <= *most);
  if (fits) return std::nullopt;
  const std::string range = !most    ? input.least->text + " or more"
                            : !least ? input.most->text + " or less"
                                     : "from " + input.least->text + " to " + input.most->text;
  return Misfit{fmt::format("must be {}, not {}", range, value), ""};
}

std::optional<Misfit> misfit_of_choice(const Input& input, std::string_view value) {
  if (input.choices.empty()) return std::nullopt;
  std::vector<std::string> words;
  std::string all;
  for (const Text& choice : input.choices) {
    if (choice.text == value) return std::nullopt;
    words.push_back(choice.text);
    all += (all.empty() ? "" : ", ") + choice.text;
  }
  return Misfit{fmt::format("must be one of {}, not {}", all, in_quotes(value)), ""};
}

}  // namespace

std::optional<InputType> type_of(const Input& input, Dialect dialect) {
  // "azureml:data:1" in place of a map means data, too.
  const bool is_asset = input.value && input.value->text.starts_with("azureml:");
  if (!input.type) return input.is_path || is_asset ? InputType::path : InputType::text;
  return type_named(input.type->text, dialect);
}

void check_type(std::string_view what, const std::optional<Text>& type, Dialect dialect,
                Complaints& complaints) {
  if (!type || type_named(type->text, dialect)) return;
  complaints.add(type->begin, fmt::format("{}: {} is not a type", what, in_quotes(type->text)),
                 type_hint(type->text));
}

bool is_table(const std::optional<Text>& type) {
  return type && base::lower(type->text) == kTableType;
}

std::optional<Misfit> misfit(const Input& input, InputType type, std::string_view value) {
  const auto must_be = [&](std::string_view what) {
    return Misfit{fmt::format("must be {}, not {}", what, in_quotes(value)), ""};
  };
  const auto number = number_of(value);
  if (type == InputType::integer && !is_integer(value)) return must_be("a whole number");
  if (type == InputType::number && !number) return must_be("a number");
  if (type == InputType::boolean && !is_boolean(value)) return must_be("true or false");
  const bool counts = type == InputType::integer || type == InputType::number;
  if (counts && number) {
    if (auto wrong = misfit_of_bounds(input, *number, value)) return wrong;
  }
  return misfit_of_choice(input, value);
}

}  // namespace muster::job
