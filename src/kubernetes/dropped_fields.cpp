// Compares what was sent with what was stored.
#include <algorithm>
#include <fmt/format.h>

#include "kubernetes/state.hpp"

namespace muster::kubernetes {
namespace {

using Kind = Value::Kind;

// What a server may leave out: it says nothing.
bool says_nothing(const Value& value) {
  const bool is_hollow =
      value.kind == Kind::object && std::ranges::all_of(value.fields, [](const Field& field) {
        return says_nothing(field.value);
      });
  return is_hollow || value.is_empty() || value.text == "false" || value.text == "0";
}

// A Secret's stringData is stored as data.
bool is_write_only(std::string_view path) { return path == "stringData"; }

// The item of a list that was sent as this one: that of its name, else at its place.
const Value* counterpart(const Value& item, std::size_t place, const std::vector<Value>& stored) {
  if (const Value* name = item.find("name")) {
    const auto found = std::ranges::find_if(
        stored, [&](const Value& one) { return text_at(one, "name") == name->text; });
    return found == stored.end() ? nullptr : &*found;
  }
  return place < stored.size() ? &stored[place] : nullptr;
}

std::string item_path(const std::string& path, const Value& item, std::size_t place) {
  const std::string name = text_at(item, "name");
  return name.empty() ? fmt::format("{}[{}]", path, place) : fmt::format("{}[{}]", path, name);
}

void compare_values(const Value& sent, const Value& stored, const std::string& path,
                    std::vector<std::string>& dropped) {
  for (const Field& field : sent.fields) {
    const std::string below = path.empty() ? field.name : path + "." + field.name;
    const Value* const found = stored.find(field.name);
    if (found != nullptr) {
      compare_values(field.value, *found, below, dropped);
    } else if (!says_nothing(field.value) && !is_write_only(below)) {
      dropped.push_back(below);
    }
  }
  for (std::size_t i = 0; i < sent.items.size(); ++i) {
    const std::string below = item_path(path, sent.items[i], i);
    const Value* const found = counterpart(sent.items[i], i, stored.items);
    if (found != nullptr) {
      compare_values(sent.items[i], *found, below, dropped);
    } else {
      dropped.push_back(below);
    }
  }
}

}  // namespace

std::vector<std::string> dropped_fields(const Value& sent, const Value& stored) {
  std::vector<std::string> dropped;
  compare_values(sent, stored, "", dropped);
  return dropped;
}

}  // namespace muster::kubernetes
