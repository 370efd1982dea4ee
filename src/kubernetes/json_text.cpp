// Writes values as JSON.
#include <fmt/format.h>

#include "kubernetes/text.hpp"

namespace muster::kubernetes {
namespace {

std::string quoted_json(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

void write_json(const Value& value, std::size_t depth, std::string& out) {
  const std::string inner(2 * (depth + 1), ' ');
  const std::string outer(2 * depth, ' ');
  std::string_view between = "\n";
  switch (value.kind) {
    case Value::Kind::nothing:
      out += "null";
      return;
    case Value::Kind::boolean:
    case Value::Kind::number:
      out += value.text;
      return;
    case Value::Kind::text:
      out += quoted_json(value.text);
      return;
    case Value::Kind::list:
      out += '[';
      for (const Value& item : value.items) {
        out.append(between).append(inner);
        write_json(item, depth + 1, out);
        between = ",\n";
      }
      out += value.items.empty() ? "]" : "\n" + outer + "]";
      return;
    case Value::Kind::object:
      out += '{';
      for (const Field& field : value.fields) {
        out.append(between).append(inner).append(quoted_json(field.name)).append(": ");
        write_json(field.value, depth + 1, out);
        between = ",\n";
      }
      out += value.fields.empty() ? "}" : "\n" + outer + "}";
      return;
  }
}

}  // namespace

std::string to_json(const Value& value) {
  std::string text;
  write_json(value, 0, text);
  return text + "\n";
}

}  // namespace muster::kubernetes
