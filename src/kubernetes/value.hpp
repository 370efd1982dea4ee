// Value: a piece of an object of Kubernetes, as JSON knows them; fields keep their order. Pure.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "job/node.hpp"

namespace muster::kubernetes {

struct Field;

struct Value {
  enum class Kind : std::uint8_t { nothing, boolean, number, text, list, object };

  Value();
  Value(const char* text);  // NOLINT(google-explicit-constructor): objects are written as they look
  Value(std::string text);  // NOLINT(google-explicit-constructor)
  Value(bool boolean);      // NOLINT(google-explicit-constructor)
  Value(std::int64_t number);       // NOLINT(google-explicit-constructor)
  Value(std::vector<Value> items);  // NOLINT(google-explicit-constructor)
  template <std::integral Number>
  Value(Number number)  // NOLINT(google-explicit-constructor)
      : Value(static_cast<std::int64_t>(number)) {}
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();

  // Adds a field, after those that are there; returns this object.
  Value& add(std::string name, Value value) &;
  Value&& add(std::string name, Value value) &&;
  // The same, unless the value is an empty text, list or object, or nothing.
  Value& add_any(std::string name, Value value) &;
  Value&& add_any(std::string name, Value value) &&;

  // The value of a field, or null.
  [[nodiscard]] const Value* find(std::string_view name) const;
  // That of a field below fields, "spec.template.spec"; or null.
  [[nodiscard]] const Value* at(std::string_view path) const;
  // Nothing, or an empty text, list or object.
  [[nodiscard]] bool is_empty() const;

  // All of it, with the order of fields.
  bool operator==(const Value& other) const;

  Kind kind = Kind::nothing;
  std::string text;           // of a text; of a number or boolean as JSON writes it
  std::vector<Value> items;   // of a list
  std::vector<Field> fields;  // of an object
};

struct Field {
  std::string name;
  Value value;
  bool operator==(const Field& other) const;
};

[[nodiscard]] Value object();
[[nodiscard]] Value list(std::vector<std::string> texts);

// The text below a path, or "".
[[nodiscard]] std::string text_at(const Value& value, std::string_view path);

// What a file holds; what YAML reads as number or boolean is one.
[[nodiscard]] Value value_of(const job::Node& node);

}  // namespace muster::kubernetes
