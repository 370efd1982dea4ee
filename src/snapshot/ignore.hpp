// IgnoreRules: which entries of a folder are left out, by the rules of gitignore(5). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "snapshot/pattern.hpp"

namespace muster::snapshot {

class IgnoreRules {
 public:
  IgnoreRules() = default;
  explicit IgnoreRules(std::string_view text);

  // Whether the entry is left out; nothing when no rule speaks of it. The path is seen from the
  // folder in which the rules lie. The caller does not ask below a folder that is left out.
  [[nodiscard]] std::optional<bool> leaves_out(std::string_view path, bool is_folder) const;

 private:
  struct Rule {
    Pattern pattern;
    bool negated = false;
    bool only_folders = false;
    bool whole_path = false;  // or the entry's own name
  };
  static std::optional<Rule> rule_of(std::string_view line);

  std::vector<Rule> rules_;  // the last one that matches decides
};

}  // namespace muster::snapshot
