// Values, what is looked for in them, and the pieces of a file as values.
#include "kubernetes/value.hpp"

#include <algorithm>

namespace muster::kubernetes {

Value::Value() = default;
Value::Value(const char* word) : kind(Kind::text), text(word) {}
Value::Value(std::string word) : kind(Kind::text), text(std::move(word)) {}
Value::Value(bool boolean) : kind(Kind::boolean), text(boolean ? "true" : "false") {}
Value::Value(std::int64_t number) : kind(Kind::number), text(std::to_string(number)) {}
Value::Value(std::vector<Value> all) : kind(Kind::list), items(std::move(all)) {}
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;
bool Value::operator==(const Value& other) const {
  return kind == other.kind && text == other.text && items == other.items && fields == other.fields;
}

bool Field::operator==(const Field& other) const {
  return name == other.name && value == other.value;
}

Value& Value::add(std::string name, Value value) & {
  kind = Kind::object;
  fields.push_back({std::move(name), std::move(value)});
  return *this;
}

Value&& Value::add(std::string name, Value value) && {
  return std::move(add(std::move(name), std::move(value)));
}

Value& Value::add_any(std::string name, Value value) & {
  if (!value.is_empty()) add(std::move(name), std::move(value));
  return *this;
}

Value&& Value::add_any(std::string name, Value value) && {
  return std::move(add_any(std::move(name), std::move(value)));
}

const Value* Value::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &found->value;
}

const Value* Value::at(std::string_view path) const {
  const Value* value = this;
  while (value != nullptr && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    value = value->find(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return value;
}

bool Value::is_empty() const { return text.empty() && items.empty() && fields.empty(); }

Value object() {
  Value value;
  value.kind = Value::Kind::object;
  return value;
}

Value list(std::vector<std::string> texts) {
  std::vector<Value> items;
  items.reserve(texts.size());
  for (std::string& text : texts) items.emplace_back(std::move(text));
  return items;
}

std::string text_at(const Value& value, std::string_view path) {
  const Value* found = value.at(path);
  return found == nullptr ? "" : found->text;
}

namespace {

// A number that JSON writes in the same way.
bool is_json_number(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (digits.empty() || (digits.size() > 1 && digits[0] == '0' && digits[1] != '.')) return false;
  return is_digit(digits.front()) && is_digit(digits.back()) &&
         std::ranges::all_of(digits, [&](char c) { return is_digit(c) || c == '.'; }) &&
         std::ranges::count(digits, '.') <= 1;
}

Value scalar_of(const job::Node& node) {
  Value value(node.text);
  if (node.quoted) return value;
  if (node.text == "true" || node.text == "false") value.kind = Value::Kind::boolean;
  if (is_json_number(node.text)) value.kind = Value::Kind::number;
  return value;
}

}  // namespace

Value value_of(const job::Node& node) {
  switch (node.kind) {
    case job::Kind::nothing:
      return {};
    case job::Kind::text:
      return scalar_of(node);
    case job::Kind::list: {
      std::vector<Value> items;
      for (const job::SharedNode& item : node.items) items.push_back(value_of(*item));
      return items;
    }
    case job::Kind::map: {
      Value map = object();
      for (const job::Entry& entry : node.entries) map.add(entry.key, value_of(*entry.value));
      return map;
    }
  }
  return {};
}

}  // namespace muster::kubernetes
