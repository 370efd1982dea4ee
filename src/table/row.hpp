// Row: one name of a table, an option of a command line or a key of a file: what it is, and where
// its value goes. Readers, help, completion, complaints and the schema all go along such tables; a
// new option or key is one more row.
#pragma once

#include <concepts>
#include <span>
#include <string_view>

#include "table/support.hpp"

namespace muster::table {

// What a row says of its name; its kind of table adds how the name is written and what it takes.
template <class Text>
concept Described = requires(const Text& text) {
  { text.help } -> std::convertible_to<std::string_view>;            // one sentence
  { text.traits.choices } -> std::convertible_to<std::string_view>;  // words, blanks between
  { text.traits.support } -> std::convertible_to<Support>;
};

// A draft is what is being read; `Value` a value as it was found, `Done` what setting it gives.
template <class Draft, Described Text, class Value, class Done>
struct Row {
  Text text;
  Done (*set)(Draft&, const Value&) = nullptr;  // null: nothing is to be done
  std::span<const Row> below = {};              // rows of a value that has names of its own
};

}  // namespace muster::table
