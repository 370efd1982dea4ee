// Reads kubectl's JSON; no other file of this room knows nlohmann's library.
#include <nlohmann/json.hpp>

#include "kubernetes/state.hpp"

namespace muster::kubernetes {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDepthMax = 100;

Value value_from(const Json& json) {
  if (json.is_object()) {
    Value made = object();
    for (const auto& [name, value] : json.items()) made.add(name, value_from(value));
    return made;
  }
  if (json.is_array()) {
    std::vector<Value> items;
    items.reserve(json.size());
    for (const Json& item : json) items.push_back(value_from(item));
    return items;
  }
  if (json.is_string()) return json.get<std::string>();
  if (json.is_boolean()) return json.get<bool>();
  Value number;
  if (!json.is_number()) return number;
  number.kind = Value::Kind::number;
  number.text = json.dump();
  return number;
}

}  // namespace

base::Result<Value> read_json(std::string_view text) {
  bool is_deep = false;
  const auto watch = [&](int depth, Json::parse_event_t, Json&) {
    is_deep = is_deep || depth > kDepthMax;
    return !is_deep;
  };
  const Json json = Json::parse(text, watch, false);
  if (!is_deep && !json.is_discarded()) return value_from(json);
  return base::fail(base::Fault::bad_file, "", "kubectl's answer is not JSON{}",
                    is_deep ? " of this depth" : "");
}

}  // namespace muster::kubernetes
