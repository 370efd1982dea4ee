// Builds the pieces of a YAML file from the events of libyaml, which is known to this file alone.
#include "job/yaml.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <yaml.h>

#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

using base::Error;
using base::fail_at;
using base::Fault;
using base::Place;
using base::Result;

constexpr Fault kFault = Fault::bad_file;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kNodeWeight = 16;  // of a piece beside its text, see kExpandedMax

Mark mark_of(const yaml_mark_t& mark, std::uint32_t file) {
  return {static_cast<std::uint32_t>(mark.line + 1), static_cast<std::uint32_t>(mark.column + 1),
          file};
}

std::string text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string() : reinterpret_cast<const char*>(text);
}

// What people usually did when libyaml says so.
struct Remedy {
  std::string_view problem;
  std::string_view hint;
};

constexpr Remedy kRemedies[] = {
    {"mapping values are not allowed",
     "is the line indented correctly? text with ': ' needs quotes"},
    {"found character that cannot start any token",
     "indent with spaces, not tabs; text that starts with one of %@` needs quotes"},
    {"did not find expected key", "is this line indented as the one above it?"},
    {"could not find expected ':'", "write KEY: VALUE, with a space after the colon"},
    {"found undefined tag handle", "text that starts with ! needs quotes"},
    {"did not find expected alphabetic or numeric character",
     "text that starts with * or & needs quotes"},
    {"control characters are not allowed", "is this the right file? a job file is plain text"},
    {"UTF-8", "save it as UTF-8"},
};

std::string remedy(std::string_view problem) {
  for (const Remedy& known : kRemedies) {
    if (problem.find(known.problem) != std::string_view::npos) return std::string(known.hint);
  }
  return "";
}

Mark mark_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto lines = std::count(before.begin(), before.end(), '\n');
  return {static_cast<std::uint32_t>(lines + 1), static_cast<std::uint32_t>(offset - start + 1)};
}

// Where a version control system has left both sides of a merge.
Mark conflict_in(std::string_view text) {
  constexpr std::string_view kMarks[] = {"<<<<<<< ", "=======\n", ">>>>>>> "};
  for (const std::string_view mark : kMarks) {
    if (text.starts_with(mark)) return {1, 1};
    const std::size_t found = text.find("\n" + std::string(mark));
    if (found != std::string_view::npos) return mark_at(text, found + 1);
  }
  return {};
}

// The column of a tab before the first character of a line, or 0.
std::uint32_t tab_in_indent(std::string_view text, std::uint32_t line) {
  for (std::uint32_t i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return 0;
    text.remove_prefix(end + 1);
  }
  const std::size_t tab = std::min(text.find_first_not_of(' '), text.size());
  return tab < text.size() && text[tab] == '\t' ? static_cast<std::uint32_t>(tab + 1) : 0;
}

// One event of libyaml, freed with this.
class Event {
 public:
  explicit Event(std::uint32_t file) : file_(file) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&event_); }

  yaml_event_t* operator->() { return &event_; }
  yaml_event_t* fill() {
    yaml_event_delete(&event_);
    return &event_;
  }
  [[nodiscard]] Mark begin() const { return mark_of(event_.start_mark, file_); }
  [[nodiscard]] Mark end() const { return mark_of(event_.end_mark, file_); }

 private:
  yaml_event_t event_{};
  std::uint32_t file_;
};

// A piece, with what its aliases cost when they are written out.
struct Built {
  SharedNode node;
  std::size_t weight = 0;
  std::size_t depth = 0;
};

class Builder {
 public:
  Builder(std::string_view text, const std::string& name, std::uint32_t file,
          std::vector<Error>& complaints)
      : text_(text), name_(name), file_(file), complaints_(complaints) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  ~Builder() { yaml_parser_delete(&parser_); }

  Result<SharedNode> document() {
    Event event(file_);
    if (auto more = next(event); !more) return tl::unexpected(more.error());  // the stream's start
    if (auto more = next(event); !more) return tl::unexpected(more.error());
    if (event->type == YAML_STREAM_END_EVENT) {
      return fail_at(at(Mark{}), kFault, "muster schema shows what a job file holds", "{}",
                     kEmptyFile);
    }
    if (auto more = next(event); !more) return tl::unexpected(more.error());
    auto root = build(event, 1);
    if (!root) return tl::unexpected(root.error());
    if (auto last = expect_end(); !last) return tl::unexpected(last.error());
    return root->node;
  }

 private:
  [[nodiscard]] Place at(Mark mark) const { return {name_, mark.line, mark.column}; }

  void complain(Mark mark, std::string what, std::string hint) {
    complaints_.push_back({kFault, std::move(what), std::move(hint), at(mark)});
  }

  Result<void> next(Event& event) {
    if (yaml_parser_parse(&parser_, event.fill()) == 1) return {};
    const std::string problem = parser_.problem == nullptr ? "" : parser_.problem;
    const bool unread = parser_.error == YAML_READER_ERROR;
    const Mark mark =
        unread ? mark_at(text_, parser_.problem_offset) : mark_of(parser_.problem_mark, file_);
    if (auto known = known_mistake(mark)) return tl::unexpected(std::move(*known));
    std::string context;
    if (parser_.context != nullptr && parser_.context_mark.line + 1 != mark.line) {
      context =
          fmt::format(" {} that began on line {}", parser_.context, parser_.context_mark.line + 1);
    }
    return fail_at(at(mark), kFault, remedy(problem), "this is not YAML: {}{}", problem, context);
  }

  // What libyaml has no words for.
  [[nodiscard]] std::optional<Error> known_mistake(Mark mark) const {
    if (const Mark conflict = conflict_in(text_); conflict.line > 0) {
      return Error{kFault, "this line is left over from a merge", "finish the merge: keep one side",
                   at(conflict)};
    }
    if (const std::uint32_t column = tab_in_indent(text_, mark.line); column > 0) {
      return Error{kFault, "this line is indented with a tab", "indent with spaces",
                   at({mark.line, column})};
    }
    return std::nullopt;
  }

  Result<void> expect_end() {
    Event event(file_);
    if (auto more = next(event); !more) return more;  // the document's end
    if (auto more = next(event); !more) return more;
    if (event->type == YAML_STREAM_END_EVENT) return {};
    return fail_at(at(event.begin()), kFault, "give each job a file of its own",
                   "a second YAML document begins here");
  }

  Result<Built> build(Event& event, std::size_t depth) {
    if (depth > kDepthMax) return too_deep(event.begin());
    switch (event->type) {
      case YAML_ALIAS_EVENT:
        return alias(event, depth);
      case YAML_SCALAR_EVENT:
        return scalar(event);
      case YAML_SEQUENCE_START_EVENT:
        return list(event, depth);
      default:
        return map(event, depth);
    }
  }

  tl::unexpected<Error> too_deep(Mark mark) const {
    return fail_at(at(mark), kFault, "is this the right file?",
                   "maps and lists are nested more than {} deep", kDepthMax);
  }

  // Adds a part to the whole that it belongs to, while the whole is still within the limits.
  Result<void> add(Built& whole, const Built& part, Mark mark) const {
    whole.weight += part.weight;
    whole.depth = std::max(whole.depth, part.depth + 1);
    if (whole.depth > kDepthMax) return too_deep(mark);
    if (whole.weight <= kExpandedMax) return {};
    return fail_at(at(mark), kFault, "is this the right file?",
                   "with its aliases written out, the file is larger than {} MiB",
                   kExpandedMax >> 20);
  }

  Result<Built> alias(Event& event, std::size_t depth) {
    const std::string name = text_of(event->data.alias.anchor);
    const auto found = anchors_.find(name);
    if (found == anchors_.end()) {
      return fail_at(at(event.begin()), kFault, "text that starts with * needs quotes",
                     "the alias *{} refers to nothing before it", name);
    }
    if (depth + found->second.depth > kDepthMax) return too_deep(event.begin());
    return found->second;
  }

  Built keep(const yaml_char_t* anchor, Built built) {
    if (anchor == nullptr) return built;
    const std::string name = text_of(anchor);
    const auto [known, is_new] = anchors_.try_emplace(name, built);
    if (!is_new) {
      complain(built.node->begin, fmt::format("the anchor &{} is given twice", name),
               fmt::format("it is already on line {}: give one of them another name",
                           known->second.node->begin.line));
    }
    return built;
  }

  void check_tag(const yaml_char_t* tag, Mark mark) {
    if (tag == nullptr) return;
    complain(mark, fmt::format("tags such as {} are not supported", spec::in_quotes(text_of(tag))),
             "remove the tag; quotes make any value text");
  }

  // No word of a command, variable or path can hold one: the rest would be lost without a word.
  void check_text(const std::string& text, Mark mark) {
    if (text.find('\0') == std::string::npos) return;
    complain(mark, "this text has a NUL character, at which programs stop reading",
             R"(remove the \0, \x00 or \u0000; single quotes keep a backslash as it is)");
  }

  static bool says_nothing(std::string_view text) {
    return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
  }

  Result<Built> scalar(Event& event) {
    const auto& data = event->data.scalar;
    const bool is_text = text_of(data.tag) == YAML_STR_TAG;
    if (!is_text) check_tag(data.tag, event.begin());
    auto node = std::make_shared<Node>();
    node->begin = event.begin();
    node->end = event.end();
    node->text.assign(reinterpret_cast<const char*>(data.value), data.length);
    check_text(node->text, node->begin);
    node->quoted = is_text || data.style != YAML_PLAIN_SCALAR_STYLE;
    node->kind = !node->quoted && says_nothing(node->text) ? Kind::nothing : Kind::text;
    const std::size_t weight = node->text.size() + kNodeWeight;
    return keep(data.anchor, {std::move(node), weight, 1});
  }

  Result<Built> list(Event& start, std::size_t depth) {
    check_tag(start->data.sequence_start.tag, start.begin());
    auto node = std::make_shared<Node>(Node{Kind::list, start.begin(), start.end(), {}, false, {}});
    Built whole{nullptr, kNodeWeight, 1};
    for (Event event(file_);;) {
      if (auto more = next(event); !more) return tl::unexpected(more.error());
      if (event->type == YAML_SEQUENCE_END_EVENT) break;
      auto item = build(event, depth + 1);
      if (!item) return item;
      if (auto fine = add(whole, *item, event.begin()); !fine) return tl::unexpected(fine.error());
      node->items.push_back(item->node);
    }
    whole.node = std::move(node);
    return keep(start->data.sequence_start.anchor, std::move(whole));
  }

  Result<Built> map(Event& start, std::size_t depth) {
    check_tag(start->data.mapping_start.tag, start.begin());
    auto node = std::make_shared<Node>(Node{Kind::map, start.begin(), start.end(), {}, false, {}});
    Built whole{nullptr, kNodeWeight, 1};
    std::map<std::string, Mark> seen;
    std::vector<Entry> merged;
    for (Event event(file_);;) {
      if (auto more = next(event); !more) return tl::unexpected(more.error());
      if (event->type == YAML_MAPPING_END_EVENT) break;
      auto key = build(event, depth + 1);
      if (!key) return key;
      const Mark mark = event.begin();
      if (auto more = next(event); !more) return tl::unexpected(more.error());
      auto value = build(event, depth + 1);
      if (!value) return value;
      for (const Built& part : {*key, *value}) {
        if (auto fine = add(whole, part, mark); !fine) return tl::unexpected(fine.error());
      }
      Entry entry{key->node->text, mark, value->node};
      if (!is_fine(*key->node, entry, seen)) continue;
      (is_merge(*key->node) ? merged : node->entries).push_back(std::move(entry));
    }
    for (const Entry& entry : merged) merge(*node, entry);
    whole.node = std::move(node);
    return keep(start->data.mapping_start.anchor, std::move(whole));
  }

  static bool is_merge(const Node& key) { return !key.quoted && key.text == "<<"; }

  bool is_fine(const Node& key, const Entry& entry, std::map<std::string, Mark>& seen) {
    if (key.kind != Kind::text) {
      complain(entry.mark, fmt::format("a key must be text, not {}", word(key.kind)), "");
      return false;
    }
    const auto [first, is_new] = seen.try_emplace(entry.key, entry.mark);
    if (is_new) return true;
    complain(entry.mark, fmt::format("the key {} is given twice", spec::in_quotes(entry.key)),
             fmt::format("it is already on line {}: keep one of them", first->second.line));
    return false;
  }

  // Keys of the map itself win over merged ones, earlier maps over later ones.
  void merge(Node& node, const Entry& merged) {
    std::vector<SharedNode> maps = merged.value->items;
    if (merged.value->kind != Kind::list) maps.push_back(merged.value);
    std::set<std::string, std::less<>> known;
    for (const Entry& entry : node.entries) known.insert(entry.key);
    for (const SharedNode& one : maps) {
      if (one->kind != Kind::map) {
        complain(merged.mark, fmt::format("<< takes a map, not {}", word(one->kind)), "");
        continue;
      }
      for (const Entry& entry : one->entries) {
        if (known.insert(entry.key).second) node.entries.push_back(entry);
      }
    }
  }

  std::string_view text_;
  const std::string& name_;
  std::uint32_t file_;
  std::vector<Error>& complaints_;
  yaml_parser_t parser_{};
  std::map<std::string, Built, std::less<>> anchors_;
};

std::optional<Error> refuse_bytes(std::string_view text, const std::string& name) {
  if (text.size() > kFileMax) {
    return Error{kFault,
                 fmt::format("the file is larger than {} MiB", kFileMax >> 20),
                 "is this the right file?",
                 {name, 0, 0}};
  }
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return Error{kFault, "the file is UTF-16", "save it as UTF-8", {name, 1, 1}};
  }
  return std::nullopt;
}

}  // namespace

Document read_yaml(std::string_view text, const std::string& name, std::uint32_t file) {
  Document document;
  if (auto refused = refuse_bytes(text, name)) {
    document.complaints.push_back(std::move(*refused));
    return document;
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  auto root = Builder(text, name, file, document.complaints).document();
  if (root) {
    document.root = std::move(*root);
  } else {
    document.complaints.push_back(std::move(root.error()));
  }
  return document;
}

}  // namespace muster::job
