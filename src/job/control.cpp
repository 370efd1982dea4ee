// Reads if_else, do_while and parallel_for.
#include "job/control.hpp"

#include <fmt/format.h>

#include "base/words.hpp"
#include "job/binding.hpp"
#include "job/control_keys.hpp"
#include "job/expression.hpp"
#include "job/table_reader.hpp"
#include "job/yaml.hpp"
#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

constexpr std::string_view kItemForms =
    "for example: items: [{epochs: 3}, {epochs: 10}], with inputs of the body";

Text text_at(const Node& node, std::optional<Mark> at) {
  return {node.text, at.value_or(node.begin), at.value_or(node.end), node.quoted};
}

void read_item(const Node& node, Item& item, std::optional<Mark> at, Complaints& complaints) {
  if (node.kind != Kind::map) {
    return complaints.add(at.value_or(node.begin),
                          fmt::format("an item must be a map, not {}", word(node.kind)),
                          std::string(kItemForms));
  }
  for (const Entry& entry : node.entries) {
    const Mark mark = at.value_or(entry.mark);
    if (entry.value->kind != Kind::text) {
      complaints.add(mark,
                     fmt::format("the value of {} must be text, not {}", spec::in_quotes(entry.key),
                                 word(entry.value->kind)),
                     "");
      continue;
    }
    item.values.push_back({entry.key, mark, text_at(*entry.value, at)});
  }
}

// The values of a map: a text, or a list of texts.
void read_mapping(const Entry& mapping, Control& control, Complaints& complaints) {
  if (mapping.value->kind != Kind::map) {
    return complaints.add(mapping.mark,
                          "mapping must be a map, not " + std::string(word(mapping.value->kind)),
                          "write OUTPUT: INPUT below it");
  }
  for (const Entry& entry : mapping.value->entries) {
    std::vector<SharedNode> inputs = entry.value->items;
    if (entry.value->kind != Kind::list) inputs.push_back(entry.value);
    for (const SharedNode& input : inputs) {
      if (input->kind == Kind::text) {
        control.mapping.push_back(
            {{entry.key, entry.mark, entry.mark, true}, text_at(*input, std::nullopt)});
      } else {
        complaints.add(entry.mark,
                       fmt::format("mapping.{} must be text, not {}", entry.key, word(input->kind)),
                       "it is the name of an input, or a list of them");
      }
    }
  }
}

void read_items(const Entry& items, Control& control, Complaints& complaints) {
  const Node& node = *items.value;
  if (node.kind != Kind::text) {
    control.items = items_of(node, std::nullopt, complaints);
  } else if (has_expression(node.text)) {
    control.items_from = text_at(node, std::nullopt);
  } else {
    control.items = items_in(node.text, node.begin, complaints);
  }
}

Table<Control> table_of_kind(Control::Kind kind) {
  switch (kind) {
    case Control::Kind::if_else:
      return if_else_keys();
    case Control::Kind::do_while:
      return do_while_keys();
    case Control::Kind::parallel_for:
      return parallel_for_keys();
  }
  return {};
}

}  // namespace

std::optional<bool> truth_of(std::string_view text) {
  const std::string low = base::lower(text);
  if (low == "true") return true;
  if (low == "false") return false;
  return std::nullopt;
}

std::vector<Item> items_of(const Node& node, std::optional<Mark> at, Complaints& complaints) {
  std::vector<Item> items;
  const Mark mark = at.value_or(node.begin);
  if (node.kind == Kind::list) {
    for (const SharedNode& one : node.items) {
      Item& item = items.emplace_back(Item{std::to_string(items.size()), {}});
      read_item(*one, item, at, complaints);
    }
    return items;
  }
  if (node.kind != Kind::map) {
    complaints.add(mark, fmt::format("items must be a list or a map, not {}", word(node.kind)),
                   std::string(kItemForms));
  }
  for (const Entry& entry : node.entries) {
    if (!job::is_name(entry.key)) {
      complaints.add(at.value_or(entry.mark),
                     fmt::format("{} is not a name for an item", spec::in_quotes(entry.key)),
                     "a name has only letters, digits, _ and -");
    }
    Item& item = items.emplace_back(Item{entry.key, {}});
    read_item(*entry.value, item, at, complaints);
  }
  return items;
}

std::vector<Item> items_in(const std::string& text, Mark at, Complaints& complaints) {
  const Document document = read_yaml(text, "items");  // JSON is YAML
  if (document.root && document.complaints.empty()) {
    return items_of(*document.root, at, complaints);
  }
  complaints.add(at, "these items are not JSON: " + document.complaints.front().what,
                 std::string(kItemForms));
  return {};
}

Control read_control(Control::Kind kind, const Node& node, Complaints& complaints) {
  Control control;
  control.kind = kind;
  TableReader<Control>(control, complaints).read(node, table_of_kind(kind));
  const Entry* mapping = find(node, "mapping");
  if (mapping != nullptr) read_mapping(*mapping, control, complaints);
  const Entry* items = find(node, "items");
  if (items != nullptr) read_items(*items, control, complaints);
  return control;
}

}  // namespace muster::job
