// Takes PMI lines, spawn bodies and frames apart; believes nothing.
#include "pmi/pmi_command.hpp"

#include <algorithm>
#include <utility>

namespace muster::pmi {
namespace {

constexpr std::size_t kQuoteMax = 60;
constexpr const char* kHint =
    "only the program's own MPI library should write to PMI_FD; `--wireup none` starts without it";

struct Field {
  std::string key;
  std::string value;
};

// "key=value", or "key" alone, which newer MPICH allows.
Field split(std::string_view text) {
  const std::size_t at = text.find('=');
  if (at == std::string_view::npos) return {std::string(text), {}};
  return {std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
}

// Where a PMI-1 value ends. Newer MPICH writes blanks as backslash and blank; the backslash is
// kept, since whoever reads the value back undoes it.
std::size_t end_of_word(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] != ' ') at += text[at] == '\\' ? 2 : 1;
  return std::min(at, text.size());
}

// The payload of a frame up to the ';' that ends its first field, with ";;" made ";".
base::Result<std::string> take_until_semicolon(std::string_view& rest) {
  std::string out;
  for (std::size_t at = 0; at < rest.size(); ++at) {
    if (rest[at] == ';') {
      const bool doubled = at + 1 < rest.size() && rest[at + 1] == ';';
      if (!doubled) {
        rest.remove_prefix(at + 1);
        return out;
      }
      ++at;
    }
    out.push_back(rest[at]);
  }
  return malformed("a field without ';' at its end", rest);
}

// Every command starts with cmd= (or mcmd=) and has a name.
base::Result<Command> named(std::string_view start, const std::vector<Field>& fields,
                            std::string_view text) {
  if (fields.empty() || fields.front().key != start || fields.front().value.empty())
    return malformed("no command", text);
  Command command;
  command.name = fields.front().value;
  Fields* into = &command.fields;
  for (std::size_t i = 1; i < fields.size(); ++i) {
    if (fields[i].key == "subcmd") into = &command.parts.emplace_back();
    into->emplace(fields[i].key, fields[i].value);
  }
  return command;
}

base::Result<Command> finish(std::string_view start, base::Result<std::vector<Field>> fields,
                             std::string_view text) {
  if (!fields) return tl::unexpected(std::move(fields.error()));
  if (text.find('\0') != std::string_view::npos) return malformed("a zero byte", text);
  return named(start, *fields, text);
}

// Adds a field unless there are too many.
base::Result<void> add(std::vector<Field>& fields, std::string_view text) {
  if (fields.size() >= kFieldsMax) return malformed("too many fields", text);
  fields.push_back(split(text));
  return {};
}

base::Result<std::vector<Field>> words(std::string_view line) {
  std::vector<Field> fields;
  while (!line.empty()) {
    const std::size_t length = end_of_word(line);
    if (length > 0)
      if (auto added = add(fields, line.substr(0, length)); !added)
        return tl::unexpected(added.error());
    line.remove_prefix(std::min(length + 1, line.size()));
  }
  return fields;
}

base::Result<std::vector<Field>> lines(std::string_view body) {
  std::vector<Field> fields;
  while (!body.empty()) {
    const std::size_t length = std::min(body.find('\n'), body.size());
    if (length > 0 && body.substr(0, length) != "endcmd")
      if (auto added = add(fields, body.substr(0, length)); !added)
        return tl::unexpected(added.error());
    body.remove_prefix(std::min(length + 1, body.size()));
  }
  return fields;
}

base::Result<std::vector<Field>> semicolons(std::string_view payload) {
  std::vector<Field> fields;
  while (!payload.empty()) {
    const auto text = take_until_semicolon(payload);
    if (!text) return tl::unexpected(text.error());
    if (auto added = add(fields, *text); !added) return tl::unexpected(added.error());
  }
  return fields;
}

}  // namespace

base::Result<Command> parse_line(std::string_view line) { return finish("cmd", words(line), line); }
base::Result<Command> parse_body(std::string_view body) {
  return finish("mcmd", lines(body), body);
}
base::Result<Command> parse_frame(std::string_view payload) {
  return finish("cmd", semicolons(payload), payload);
}

tl::unexpected<base::Error> malformed(std::string_view why, std::string_view text) {
  std::string quote(text.substr(0, kQuoteMax));
  for (char& letter : quote)
    if (letter < ' ' || letter > '~') letter = '?';
  if (text.size() > kQuoteMax) quote += "...";
  if (text.empty()) return base::fail(base::Fault::lost, kHint, "it sent {} over PMI", why);
  return base::fail(base::Fault::lost, kHint, "it sent {} over PMI: \"{}\"", why, quote);
}

}  // namespace muster::pmi
