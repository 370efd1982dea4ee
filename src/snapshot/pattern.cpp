// Reads a glob into parts; matches by the set of parts that a path may have come to.
#include "snapshot/pattern.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace muster::snapshot {
namespace {

struct ByteClass {
  std::string_view name;
  int (*has)(int);
};

constexpr std::array kClasses = {
    ByteClass{"alnum", [](int c) { return int(std::isalnum(c)); }},
    ByteClass{"alpha", [](int c) { return int(std::isalpha(c)); }},
    ByteClass{"blank", [](int c) { return int(c == ' ' || c == '\t'); }},
    ByteClass{"cntrl", [](int c) { return int(std::iscntrl(c)); }},
    ByteClass{"digit", [](int c) { return int(std::isdigit(c)); }},
    ByteClass{"graph", [](int c) { return int(std::isgraph(c)); }},
    ByteClass{"lower", [](int c) { return int(std::islower(c)); }},
    ByteClass{"print", [](int c) { return int(std::isprint(c)); }},
    ByteClass{"punct", [](int c) { return int(std::ispunct(c)); }},
    ByteClass{"space", [](int c) { return int(std::isspace(c)); }},
    ByteClass{"upper", [](int c) { return int(std::isupper(c)); }},
    ByteClass{"xdigit", [](int c) { return int(std::isxdigit(c)); }},
};

std::size_t index_of(char c) { return static_cast<unsigned char>(c); }

}  // namespace

// Walks over a pattern's characters once. Where it finds that no path can match it stops.
class Pattern::Reader {
 public:
  Reader(std::string_view text, std::vector<Part>& parts) : text_(text), parts_(parts) {}

  // False: the pattern is malformed.
  bool read() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '*') {
        stars();
      } else if (c == '?') {
        add(Part::Kind::one, all_but_slash());
      } else if (c == '[') {
        if (!set()) return false;
      } else if (c == '\\') {
        if (at_ == text_.size()) return false;
        add(Part::Kind::one, only(text_[at_++]));
      } else {
        add(Part::Kind::one, only(c));
      }
    }
    return true;
  }

 private:
  static Bytes only(char c) {
    Bytes bytes;
    bytes.set(index_of(c));
    return bytes;
  }
  static Bytes all_but_slash() { return ~only('/'); }

  void add(Part::Kind kind, const Bytes& bytes) {
    parts_.push_back({kind, std::make_shared<const Bytes>(bytes)});
  }

  // The first one has been read.
  void stars() {
    const std::size_t first = at_ - 1;
    while (at_ < text_.size() && text_[at_] == '*') ++at_;
    const std::string_view rest = text_.substr(at_);
    const bool begins = first == 0 || text_[first - 1] == '/';
    const bool ends = rest.empty() || rest.starts_with('/') || rest.starts_with("\\/");
    const bool crosses = at_ - first > 1 && begins && ends;
    if (crosses && rest.starts_with('/')) parts_.push_back({Part::Kind::folders, nullptr});
    add(Part::Kind::many, crosses ? ~Bytes() : all_but_slash());
  }

  [[nodiscard]] bool has(std::string_view next) const {
    return text_.substr(at_).starts_with(next);
  }

  // A set's next character, which a backslash may quote; nothing at the pattern's end.
  std::optional<char> character() {
    if (has("\\")) ++at_;
    if (at_ == text_.size()) return std::nullopt;
    return text_[at_++];
  }

  // "[:alpha:]", as seen from its bracket; false: there is no such class.
  bool named_class(std::size_t end, Bytes& bytes) {
    const std::string_view name = text_.substr(at_ + 2, end - at_ - 2);
    const auto* found = std::ranges::find(kClasses, name, &ByteClass::name);
    if (found == kClasses.end()) return false;
    for (int c = 0; c < 128; ++c) {
      if (found->has(c) != 0) bytes.set(static_cast<std::size_t>(c));
    }
    at_ = end + 2;
    return true;
  }

  // A class, a range or one character of a set.
  bool member(Bytes& bytes) {
    if (has("[:")) {
      const std::size_t end = text_.find(']', at_ + 2);
      if (end == std::string_view::npos) return false;
      if (end > at_ + 2 && text_[end - 1] == ':') return named_class(end - 1, bytes);
    }
    const auto from = character();
    if (!from) return false;
    bytes.set(index_of(*from));
    if (!has("-") || at_ + 1 >= text_.size() || text_[at_ + 1] == ']') return true;
    ++at_;
    const auto to = character();
    if (!to) return false;
    for (std::size_t c = index_of(*from); c <= index_of(*to); ++c) bytes.set(c);
    return true;
  }

  bool set() {
    const bool negated = has("!") || has("^");
    if (negated) ++at_;
    Bytes bytes;
    do {
      if (!member(bytes)) return false;
    } while (at_ < text_.size() && text_[at_] != ']');
    if (at_ == text_.size()) return false;
    ++at_;
    if (negated) bytes.flip();
    bytes.reset(index_of('/'));
    add(Part::Kind::one, bytes);
    return true;
  }

  std::string_view text_;
  std::vector<Part>& parts_;
  std::size_t at_ = 0;
};

Pattern::Pattern(std::string_view text) {
  is_literal_ = text.find_first_of("*?[\\") == std::string_view::npos;
  if (is_literal_) {
    literal_ = text;
    return;
  }
  never_ = !Reader(text, parts_).read();
}

bool Pattern::matches(std::string_view path) const {
  if (is_literal_) return path == literal_;
  return !never_ && matches_parts(path);
}

bool Pattern::matches_parts(std::string_view path) const {
  std::vector<char> here(parts_.size() + 1);
  std::vector<char> next(parts_.size() + 1);
  // What may follow without a character: parts are entered from the left, so one pass is enough.
  const auto spread = [this](std::vector<char>& states) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (states[i] == 0 || parts_[i].kind == Part::Kind::one) continue;
      states[i + 1] = 1;
      if (parts_[i].kind == Part::Kind::folders) states[i + 3] = 1;
    }
  };
  here[0] = 1;
  spread(here);
  for (const char c : path) {
    std::ranges::fill(next, char(0));
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (here[i] == 0 || !parts_[i].bytes || !parts_[i].bytes->test(index_of(c))) continue;
      next[parts_[i].kind == Part::Kind::many ? i : i + 1] = 1;
    }
    spread(next);
    here.swap(next);
  }
  return here.back() != 0;
}

}  // namespace muster::snapshot
