// From a wish to lines of #$.
#include "batch/grid_engine_script.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/shell_word.hpp"
#include "batch/script.hpp"

namespace muster::batch {
namespace {

// sge_types(5), "name"; it begins with no digit. qmaster breaks off at characters that are not
// ASCII, and qsub at a #.
bool fits_name(char c) {
  constexpr std::string_view kOdd = "/:@\\*?'\"#";
  return c > ' ' && c < '\x7f' && kOdd.find(c) == std::string_view::npos;
}

// One mark for each character, however many bytes it has.
std::string job_name(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool goes_on = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    if (!goes_on) text += fits_name(c) ? c : '_';
  }
  const bool has_digit = !text.empty() && text.front() >= '0' && text.front() <= '9';
  return has_digit ? "_" + text : text;
}

// qsub takes every quote out of a line, and what follows a #; qmaster puts values for $HOME and the
// like; , and : are between files and hosts (qsub(1), -o). None of this can be escaped.
bool is_path_for_qsub(std::string_view path) {
  return path.find_first_of("'\"#$,:") == std::string_view::npos;
}

// The nearest one above that it understands.
std::string folder_for_qsub(std::string folder) {
  while (!is_path_for_qsub(folder)) folder.resize(folder.rfind('/'));
  return folder.empty() ? "/" : folder;
}

std::string file_for_qsub(const std::string& path) {
  return is_path_for_qsub(path) ? path : "/dev/null";
}

// What qsub does not understand is left to the shell.
std::string paths_for_shell(const Wish& wish) {
  std::string text;
  const auto add = [&](std::string_view form, const std::string& path) {
    if (!is_path_for_qsub(path)) text += fmt::format(fmt::runtime(form), base::shell_word(path));
  };
  add("exec 2>>{}\n", wish.err);
  add("exec >>{}\n", wish.out);
  add("cd {} || exit\n", wish.folder);
  return text;
}

class QsubLines {
 public:
  explicit QsubLines(const Wish& wish) : wish_(wish) {}

  std::vector<std::string> all() {
    for (const auto& [key, value] : wish_.options) given(key, value);
    for (const auto& [name, value] : wish_.raw) add(name, value == "true" ? "" : value);
    limit();
    ours();
    return std::move(lines_);
  }

 private:
  void add(const std::string& name, const std::string& value = {}) {
    lines_.push_back(value.empty() ? "-" + name
                                   : fmt::format("-{} {}", name, base::shell_word(value)));
  }

  void given(const std::string& key, const std::string& value) {
    if (key == "queue") add("q", value);
    if (key == "project") add("P", value);
    if (key == "account") add("A", value);
    if (key == "resources") add("l", value);
    if (key == "pe") lines_.push_back(fmt::format("-pe {} {}", base::shell_word(value), slots()));
  }

  [[nodiscard]] std::uint64_t slots() const {
    return std::uint64_t{wish_.nodes} * std::max(1U, wish_.per_node);
  }

  // The run ends first, in order, and says so.
  void limit() {
    constexpr std::int64_t kMore = 120;
    const auto says = [](const Wish::Named& one) {
      return one.second.find("h_rt=") != std::string::npos;
    };
    if (!wish_.limit || std::ranges::any_of(wish_.options, says)) return;
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(*wish_.limit).count();
    add("l", fmt::format("h_rt={}", seconds + kMore));
  }

  void ours() {
    if (!wish_.name.empty()) add("N", job_name(wish_.name));
    if (!wish_.folder.empty()) add("wd", folder_for_qsub(wish_.folder));
    if (!wish_.out.empty()) add("o", file_for_qsub(wish_.out));
    if (!wish_.err.empty()) add("e", file_for_qsub(wish_.err));
    add("S", wish_.setup.empty() ? "/bin/sh" : "/bin/bash");
    add("V");
  }

  const Wish& wish_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string grid_engine_script(const Wish& wish) {
  return script_text(wish, "#$", QsubLines(wish).all(), paths_for_shell(wish));
}

}  // namespace muster::batch
