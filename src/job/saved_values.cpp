// From nodes to JSON, in the order written.
#include "job/saved_values.hpp"

#include <nlohmann/json.hpp>

#include "job/read_map.hpp"
#include "job/runconfig.hpp"

namespace muster::job {
namespace {

using OrderedJson = nlohmann::ordered_json;

// "null" is what the SDK writes for nothing, too.
OrderedJson plain_json(const Node& node) {
  const auto value = OrderedJson::parse(node.text, nullptr, false);
  const bool is_plain = value.is_number() || value.is_boolean() || value.is_null();
  return is_plain && !node.quoted ? value : OrderedJson(node.text);
}

OrderedJson json_of(const Node& node) {
  switch (node.kind) {
    case Kind::nothing:
      return nullptr;
    case Kind::text:
      return plain_json(node);
    case Kind::list: {
      OrderedJson list = OrderedJson::array();
      for (const SharedNode& item : node.items) list.push_back(json_of(*item));
      return list;
    }
    case Kind::map:
      break;
  }
  OrderedJson map = OrderedJson::object();
  for (const Entry& entry : node.entries) map[entry.key] = json_of(*entry.value);
  return map;
}

}  // namespace

std::string saved_values(std::string_view text) {
  Complaints unheard("");
  const SharedNode root = read_map(text, {"a job file", "KEY: VALUE"}, unheard);
  return root && is_runconfig(*root) ? json_of(*root).dump() : std::string();
}

}  // namespace muster::job
