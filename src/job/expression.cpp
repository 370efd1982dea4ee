// Cuts texts at their expressions and puts values in.
#include "job/expression.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace muster::job {
namespace {

using What = Piece::Kind;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") + 1 - first);
}

// What other places may write, but a job may not.
struct Stranger {
  std::string_view start;
  std::string_view why;
};

constexpr Stranger kStrangers[] = {
    {"parent.", "parent is for the values of a step's inputs; a command names inputs.NAME"},
    {"jobs.", "jobs are the steps of a pipeline; this is a single job"},
    {"input.", "write inputs.NAME"},
    {"output.", "write outputs.NAME"},
};

// "inputs.lr" to a piece.
Piece reference(std::string_view inner, std::string_view raw) {
  const std::string_view word = trimmed(inner);
  for (const auto& [prefix, kind] : {std::pair(std::string_view("inputs."), What::input),
                                     std::pair(std::string_view("outputs."), What::output)}) {
    if (!word.starts_with(prefix)) continue;
    std::string_view name = word.substr(prefix.size());
    // ${{inputs.x.path}} is an older way to write ${{inputs.x}}.
    if (name.ends_with(".path")) name.remove_suffix(5);
    if (is_name(name)) return {kind, std::string(name), raw};
  }
  // In a sweep, each parameter is an input of that name.
  if (word.starts_with(kSearchSpace) && is_name(word.substr(kSearchSpace.size()))) {
    return {What::input, std::string(word), raw};
  }
  for (const Stranger& stranger : kStrangers) {
    if (word.starts_with(stranger.start)) return {What::wrong, std::string(stranger.why), raw};
  }
  return {What::wrong, "an expression is ${{inputs.NAME}} or ${{outputs.NAME}}", raw};
}

class Cutter {
 public:
  Cutter(std::string_view text, Dialect dialect)
      : text_(text),
        dialect_(dialect),
        last_single_(text.rfind('}')),
        last_double_(text.rfind("}}")) {}

  std::vector<Piece> pieces() {
    while (at_ < text_.size()) {
      if (!take()) ++at_;
    }
    literal(text_.size());
    if (groups_ > 0) {
      pieces_.push_back({What::wrong, "$[[ has no ]]", text_.substr(opened_, 3)});
    }
    return std::move(pieces_);
  }

 private:
  bool take() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("${{")) return braces("}}", 3);
    if (rest.starts_with("$[[")) return group(What::open, 3);
    if (groups_ > 0 && !narrow_ && rest.starts_with("]]")) return group(What::close, 2);
    if (narrow_ && rest.starts_with(']')) return group(What::close, 1);
    if (dialect_ == Dialect::component && groups_ == 0 && is_narrow_group(rest)) {
      narrow_ = true;
      return group(What::open, 1);
    }
    const bool single = rest.starts_with("{inputs.") || rest.starts_with("{outputs.");
    const bool old = dialect_ == Dialect::component || dialect_ == Dialect::preview;
    return single && (old ? braces("}", 1) : older_form(rest));
  }

  // What nothing would replace, and the program would be given as it stands.
  bool older_form(std::string_view rest) {
    const std::size_t end = std::min(rest.find('}'), rest.size());
    const Piece meant = reference(rest.substr(1, end - 1), {});
    if (end == rest.size() || meant.kind == What::wrong) return false;
    const std::string_view raw = rest.substr(0, end + 1);
    add({What::wrong, fmt::format("write ${{{}}}", raw), raw}, raw.size());
    return true;
  }

  // [--note {inputs.x}] of an older component. A shell's test is none: it stands where a
  // command may, or a command follows it.
  [[nodiscard]] bool is_narrow_group(std::string_view rest) const {
    if (!rest.starts_with('[') || rest.starts_with("[[")) return false;
    const std::size_t end = rest.find_first_of("[]", 1);
    if (end == std::string_view::npos || rest[end] == '[') return false;
    if (rest.substr(0, end).find("{inputs.") == std::string_view::npos) return false;
    const std::string_view all_before = text_.substr(0, at_);
    const std::string_view before =
        all_before.substr(0, all_before.find_last_not_of(" \t\n") + 1);  // npos + 1 is 0
    const std::size_t next = std::min(rest.find_first_not_of(" \t\n", end + 1), rest.size());
    const std::string_view after = rest.substr(next);
    constexpr std::string_view kBefore[] = {"&&", "||", ";", "if", "while", "until", "!", "then"};
    constexpr std::string_view kAfter[] = {"&&", "||", ";"};
    return !before.empty() &&
           std::ranges::none_of(kBefore, [&](auto word) { return before.ends_with(word); }) &&
           std::ranges::none_of(kAfter, [&](auto word) { return after.starts_with(word); });
  }

  bool braces(std::string_view closing, std::size_t opening) {
    // Without the first question, many openings and no end would take their number squared.
    const std::size_t last = closing.size() == 2 ? last_double_ : last_single_;
    const bool none = last == std::string_view::npos || last < at_ + opening;
    const std::size_t end = none ? std::string_view::npos : text_.find(closing, at_ + opening);
    if (end == std::string_view::npos) {
      const std::size_t blank = std::min(text_.find_first_of(" \n", at_), text_.size());
      const std::string_view raw = text_.substr(at_, blank - at_);
      add({What::wrong, "the expression has no end", raw}, raw.size());
      return true;
    }
    const std::string_view inner = text_.substr(at_ + opening, end - at_ - opening);
    const std::size_t size = end + closing.size() - at_;
    add(reference(inner, text_.substr(at_, size)), size);
    return true;
  }

  bool group(What kind, std::size_t size) {
    if (kind == What::open && groups_ > 0) {
      add({What::wrong, "$[[ ]] cannot be inside another", text_.substr(at_, size)}, size);
      return true;
    }
    if (kind == What::open) opened_ = at_;
    groups_ += kind == What::open ? 1 : -1;
    if (kind == What::close) narrow_ = false;
    add({kind, {}, text_.substr(at_, size)}, size);
    return true;
  }

  void add(Piece piece, std::size_t size) {
    literal(at_);
    pieces_.push_back(std::move(piece));
    at_ += size;
    start_ = at_;
  }

  void literal(std::size_t end) {
    if (end <= start_) return;
    const std::string_view raw = text_.substr(start_, end - start_);
    pieces_.push_back({What::literal, std::string(raw), raw});
    start_ = end;
  }

  std::string_view text_;
  Dialect dialect_;
  std::size_t last_single_;
  std::size_t last_double_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;  // of the literal text before `at_`
  std::size_t opened_ = 0;
  int groups_ = 0;
  bool narrow_ = false;  // the open group is [ ]
  std::vector<Piece> pieces_;
};

// Collects the text; a group's part is kept apart until it ends.
struct Expansion {
  std::string text;
  std::string part;
  bool in_group = false;
  bool lacks = false;  // an input of the group has no value

  void append(std::string_view more) { (in_group ? part : text) += more; }

  void close() {
    if (!lacks) text += trimmed(part);
    part.clear();
    in_group = lacks = false;
  }
};

}  // namespace

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::vector<Piece> pieces_of(std::string_view text, Dialect dialect) {
  return Cutter(text, dialect).pieces();
}

std::optional<std::string> expand(std::string_view text, Dialect dialect, const Values& values) {
  Expansion out;
  for (const Piece& piece : pieces_of(text, dialect)) {
    if (piece.kind == What::open) {
      out.in_group = true;
    } else if (piece.kind == What::close) {
      out.close();
    } else if (piece.kind == What::output) {
      out.append(values.outputs.find(piece.text)->second);
    } else if (piece.kind != What::input) {
      out.append(piece.text);
    } else if (const auto& value = values.inputs.find(piece.text)->second) {
      out.append(*value);
    } else if (out.in_group) {
      out.lacks = true;
    } else {
      return std::nullopt;
    }
  }
  return std::move(out.text);
}

}  // namespace muster::job
