// TableReader: walks a file's pieces along a table of keys, fills a draft, gathers complaints.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest.hpp"
#include "job/binding.hpp"
#include "job/complaints.hpp"
#include "job/key.hpp"
#include "job/old_names.hpp"
#include "spec/in_quotes.hpp"

namespace muster::job {

// A hint for a key that another kind of file has at its root, or "".
using Elsewhere = std::string (*)(const Node& root, std::string_view key);

template <class Draft>
class TableReader {
 public:
  // `later`: takes what inputs of a pipeline give; without it, expressions are text.
  TableReader(Draft& draft, Complaints& complaints, Elsewhere elsewhere = nullptr,
              std::vector<Later<Draft>>* later = nullptr)
      : draft_(draft), complaints_(complaints), elsewhere_(elsewhere), later_(later) {}

  // `path` is "" or ends with a dot: "compute." `open_map`: other keys have no effect.
  void read(const Node& map, Table<Draft> table, const std::string& path = "",
            bool open_map = false) {
    std::set<std::string> meant;                                   // by keys that are none
    const std::vector<std::string> open = names_left(map, table);  // once: there may be many keys
    for (const Entry& entry : map.entries) {
      const auto row = std::ranges::find(table, entry.key, &name_of);
      if (row == table.end() && open_map) {
        strange(entry, table, path);
      } else if (row == table.end()) {
        meant.insert(unknown(map, entry, open, table, path));
      } else {
        value(entry, *row, path + std::string(row->text.name));
      }
    }
    for (const Key<Draft>& key : table) {
      const std::string name(key.text.name);
      if (!key.text.traits.required || find(map, name) != nullptr || meant.contains(name)) continue;
      complaints_.add(map.begin, fmt::format("the key {}{} is missing", path, name),
                      name + ": " + std::string(key.text.help));
    }
  }

  // A line about each key that has no effect here.
  [[nodiscard]] std::vector<std::string> notices() && { return std::move(notices_); }

 private:
  static std::string_view name_of(const Key<Draft>& key) { return key.text.name; }

  static std::vector<std::string> names_in(Table<Draft> table) {
    std::vector<std::string> names;
    names.reserve(table.size());
    for (const Key<Draft>& key : table) names.emplace_back(key.text.name);
    return names;
  }

  // Those that have an effect: no one who wonders what to write looks for the others.
  static std::vector<std::string> names_that_work(Table<Draft> table) {
    std::vector<std::string> names;
    for (const Key<Draft>& key : table) {
      if (key.text.traits.support.works()) names.emplace_back(key.text.name);
    }
    return names;
  }

  // Keys that the map does not have yet.
  static std::vector<std::string> names_left(const Node& map, Table<Draft> table) {
    std::vector<std::string> names = names_in(table);
    std::erase_if(names, [&](const std::string& name) { return find(map, name) != nullptr; });
    return names;
  }

  void strange(const Entry& entry, Table<Draft> table, const std::string& path) {
    const std::string near = base::did_you_mean(entry.key, names_that_work(table));
    notices_.push_back(fmt::format("{}{} has no effect here: muster does not know it{}{}", path,
                                   entry.key, near.empty() ? "" : "; ", near));
  }

  // Returns the key that was meant, or "".
  std::string unknown(const Node& map, const Entry& entry, const std::vector<std::string>& open,
                      Table<Draft> table, const std::string& path) {
    if (complaints_.full()) return {};  // looking for the nearest key takes a while
    const std::string in = path.empty() ? "" : " in " + path.substr(0, path.size() - 1);
    const bool at_root = path.empty() && elsewhere_ != nullptr;
    std::string hint = at_root ? elsewhere_(map, entry.key) : "";
    const auto now = hint.empty() ? now_of(entry.key, table, path) : std::nullopt;
    if (now) hint = now->hint;
    if (hint.empty()) hint = key_hint(entry.key, open, names_that_work(table));
    complaints_.add(entry.mark, fmt::format("unknown key {}{}", spec::in_quotes(entry.key), in),
                    std::move(hint));
    return now ? now->key : base::nearest(entry.key, open).value_or("");
  }

  static std::optional<WrittenNow> now_of(std::string_view old, Table<Draft> table,
                                          const std::string& path) {
    return written_now(old, path, [&](std::string_view key, std::string_view below) {
      const auto row = std::ranges::find(table, key, &name_of);
      if (row == table.end()) return false;
      return below.empty() || std::ranges::find(row->below, below, &name_of) != row->below.end();
    });
  }

  void value(const Entry& entry, const Key<Draft>& key, const std::string& path) {
    const Traits& traits = key.text.traits;
    if (traits.support.refused()) {
      return complaints_.add(entry.mark, table::told(path, traits.support), "");
    }
    if (!traits.support.works()) notices_.push_back(table::told(path, traits.support));
    auto* const later = std::exchange(later_, traits.fixed ? nullptr : later_);
    values(entry, key, path);
    later_ = later;
  }

  void values(const Entry& entry, const Key<Draft>& key, const std::string& path) {
    const Traits& traits = key.text.traits;
    if (traits.each) {
      each(*entry.value, key, path);
    } else if (traits.listed && entry.value->kind == Kind::list) {
      for (const SharedNode& item : entry.value->items) {
        one({entry.key, entry.mark, *item, true}, key, path);
      }
    } else {
      one({entry.key, entry.mark, *entry.value}, key, path);
    }
  }

  void each(const Node& node, const Key<Draft>& key, const std::string& path) {
    if (node.kind == Kind::nothing) return;
    if (node.kind != Kind::map) {
      complaints_.add(node.begin, fmt::format("{} must be a map, not {}", path, word(node.kind)),
                      "write NAME: VALUE below it");
      return;
    }
    for (const Entry& entry : node.entries) {
      one({entry.key, entry.mark, *entry.value}, key, path + "." + entry.key);
    }
  }

  void one(const Found& found, const Key<Draft>& key, const std::string& path) {
    const Node& node = found.node;
    if (key.text.form == Form::anything) return set(found, key);
    if (node.kind == Kind::map && !key.below.empty()) {
      set(found, key);
      return read(node, key.below, path + ".", key.text.traits.open);
    }
    if (node.kind == Kind::nothing) {
      if (key.text.traits.each && !key.below.empty()) return set(found, key);
      return complaints_.add(found.key_mark, path + " has no value",
                             "give it one, or remove the key");
    }
    if (node.kind != Kind::text) return wrong_kind(node, key, path);
    if (later_ != nullptr && names_parent(node.text)) {
      return later_->push_back({&key, path, std::string(found.key), found.key_mark, node});
    }
    if (auto wrong = misfit(key.text, node)) {
      return complaints_.add(node.begin, path + " " + wrong->what, std::move(wrong->hint));
    }
    set(found, key);
  }

  void wrong_kind(const Node& node, const Key<Draft>& key, const std::string& path) {
    std::string wanted = words_of(key.text);
    if (key.text.form != Form::none && !key.below.empty()) wanted += " or a map";
    complaints_.add(node.begin, fmt::format("{} must be {}, not {}", path, wanted, word(node.kind)),
                    "");
  }

  void set(const Found& found, const Key<Draft>& key) {
    if (key.set != nullptr) key.set(draft_, found);
  }

  Draft& draft_;
  Complaints& complaints_;
  Elsewhere elsewhere_;
  std::vector<Later<Draft>>* later_;
  std::vector<std::string> notices_;
};

}  // namespace muster::job
