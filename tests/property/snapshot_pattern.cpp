// Patterns of ignore files against a naive matcher that goes by the same words in gitignore(5).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "snapshot/manifest.hpp"
#include "snapshot/paths.hpp"
#include "snapshot/pattern.hpp"

namespace muster::snapshot {
namespace {

bool naive(std::string_view pattern, std::string_view path, char before);

// `**` between slashes, with what follows it.
bool naive_folders(std::string_view rest, std::string_view path) {
  if (rest.empty()) return true;
  if (naive(rest.substr(1), path, '/')) return true;  // no folder at all
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '/' && naive(rest.substr(1), path.substr(i + 1), '/')) return true;
  }
  return false;
}

bool naive_star(std::string_view rest, std::string_view path) {
  for (std::size_t i = 0;; ++i) {
    if (naive(rest, path.substr(i), '*')) return true;
    if (i == path.size() || path[i] == '/') return false;
  }
}

// Only letters, slashes, `?` and `*`. `before`: the pattern's character before this part.
bool naive(std::string_view pattern, std::string_view path, char before) {
  if (pattern.empty()) return path.empty();
  if (pattern.front() == '*') {
    const std::size_t end = std::min(pattern.find_first_not_of('*'), pattern.size());
    const std::string_view rest = pattern.substr(end);
    const bool crosses = end > 1 && before == '/' && (rest.empty() || rest.front() == '/');
    return crosses ? naive_folders(rest, path) : naive_star(rest, path);
  }
  if (path.empty()) return false;
  const bool fits = pattern.front() == '?' ? path.front() != '/' : pattern.front() == path.front();
  return fits && naive(pattern.substr(1), path.substr(1), pattern.front());
}

// Texts over few letters, so that they often match.
rc::Gen<std::string> text_of(const std::string& letters) {
  return rc::gen::scale(0.2, rc::gen::container<std::string>(rc::gen::elementOf(letters)));
}

RC_GTEST_PROP(SnapshotPattern, MatchesAsANaiveMatcherDoes, ()) {
  const auto pattern = *text_of("ab/?***");
  const auto path = *text_of("aab/");
  RC_CLASSIFY(naive(pattern, path, '/'), "matches");
  RC_ASSERT(Pattern(pattern).matches(path) == naive(pattern, path, '/'));
}

RC_GTEST_PROP(SnapshotPattern, ReadsAnything, ()) {
  const auto pattern = *text_of("a/[]!^-\\*:alph");
  (void)Pattern(pattern).matches(*text_of("a/[]-:\\"));
}

RC_GTEST_PROP(SnapshotPattern, ALiteralOfAPathsCharactersMatchesIt, ()) {
  const auto path = *rc::gen::nonEmpty(text_of("ab/[]*?\\!"));
  std::string quoted;
  for (const char c : path) quoted += std::string("\\") + c;
  RC_ASSERT(Pattern(quoted).matches(path));
}

rc::Gen<std::string> any_path() {
  return rc::gen::suchThat(text_of("ab ./-\xc3\xa9"),
                           [](const auto& text) { return is_inside(text); });
}

RC_GTEST_PROP(SnapshotManifest, IsReadAsItWasWritten, ()) {
  std::map<std::string, Entry> entries;
  for (const std::string& path : *rc::gen::container<std::vector<std::string>>(any_path())) {
    for (std::string up(parent_of(path)); !up.empty(); up = parent_of(up)) {
      entries[up] = {EntryKind::folder, up, 0755};
    }
    Entry& entry = entries[path];
    if (!entry.path.empty()) continue;
    entry.path = path;
    entry.kind = *rc::gen::element(EntryKind::file, EntryKind::link);
    if (entry.kind == EntryKind::link) {
      entry.target = *rc::gen::nonEmpty(text_of("a /."));
    } else {
      entry = {EntryKind::file,
               path,
               0644,
               *rc::gen::arbitrary<std::uint64_t>(),
               *rc::gen::arbitrary<std::int64_t>(),
               std::string(64, 'a')};
    }
  }
  Manifest manifest;
  for (const auto& [path, entry] : entries) manifest.entries.push_back(entry);
  const auto read = read_manifest(manifest_text(manifest));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == manifest);
}

}  // namespace
}  // namespace muster::snapshot
