// Reads .deepspeed_env.
#include "front/deepspeed/environment.hpp"

#include <algorithm>
#include <fmt/ranges.h>
#include <optional>
#include <utility>

#include "front/call.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::Fault;
using base::Result;

constexpr std::size_t kFileMax = std::size_t{1} << 20;

// What launch.py gives each rank after the file: accelerate writes its whole environment there, and
// so what a launcher around it was given.
constexpr std::string_view kOfEachRank[] = {"RANK",        "LOCAL_RANK",  "WORLD_SIZE",
                                            "LOCAL_SIZE",  "CROSS_RANK",  "CROSS_SIZE",
                                            "MASTER_ADDR", "MASTER_PORT", "CUDA_VISIBLE_DEVICES"};

std::string_view trimmed(std::string_view text) {
  constexpr const char* kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

bool is_of_name(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_letter || c == '_' || (c >= '0' && c <= '9');
}

// What a shell does more than one word's text for, outside of quotes.
constexpr std::string_view kOfAShell = " \t;&|<>()`";

bool is_guarded(char c) { return std::string_view("\"\\$`").find(c) != std::string_view::npos; }

// Has a double quote without a backslash in front.
bool has_bare_quote(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') return true;
    if (text[i] == '\\') ++i;
  }
  return false;
}

// A shell on each node reads the values (multinode_runner.py), in DeepSpeed 0.15.4 and later
// between double quotes: $NAME and ${NAME} are what was set before, in the file or around, and a
// backslash guards a sign that would be more than itself. What is not set is nothing. In older
// versions quotes and ~ meant what they mean to a shell, and whoever writes them still means that.
// Where quotes do not make one word of the value, they are a part of it. So they are in JSON, of
// which the shell would take them: accelerate writes that as it stands.
class Expander {
 public:
  Expander(const Call& call, const std::vector<model::EnvSetting>& before)
      : call_(call), before_(before) {}

  [[nodiscard]] std::string expanded(std::string_view text) const {
    const bool is_json = text.starts_with('{') || text.starts_with('[');
    if (!is_json) {
      if (auto word = one_word(text)) return std::move(*word);
    }
    const bool has_quotes = has_bare_quote(text);
    std::string result;
    while (!text.empty()) {
      if (text.front() == '$') {
        take_dollar(text, result);
        continue;
      }
      if (!has_quotes) drop_guard(text);
      result += text.front();
      text.remove_prefix(1);
    }
    return result;
  }

 private:
  // Nothing where a shell would not find just one.
  [[nodiscard]] std::optional<std::string> one_word(std::string_view text) const {
    std::string result;
    char quote = 0;
    char last = ':';  // in front of what is left, outside of quotes
    while (!text.empty()) {
      const char c = text.front();
      if (c == '$' && quote != '\'') {
        last = c;
        take_dollar(text, result);
        continue;
      }
      if (quote == 0 && kOfAShell.find(c) != std::string_view::npos) return std::nullopt;
      // An apostrophe, as in it's, is no quote.
      const bool is_apostrophe = c == '\'' && quote == 0 && (is_of_name(last) || last == '\\');
      const bool is_quote = (c == '"' || c == '\'') && (quote == 0 || quote == c);
      if (is_quote && !is_apostrophe) {
        quote = quote == 0 ? c : '\0';
        text.remove_prefix(1);
      } else if (c == '~' && quote == 0 && last == ':' && is_home(text.substr(1))) {
        result += value_of("HOME");
        text.remove_prefix(1);
      } else {
        if (quote != '\'') drop_guard(text);
        result += text.front();
        text.remove_prefix(1);
      }
      last = quote == 0 ? c : '\0';
    }
    return quote == 0 ? std::optional(result) : std::nullopt;
  }

  // A backslash that guards what follows.
  static void drop_guard(std::string_view& text) {
    if (text.size() > 1 && text[0] == '\\' && is_guarded(text[1])) text.remove_prefix(1);
  }

  // What follows the ~.
  static bool is_home(std::string_view rest) {
    return rest.empty() || rest.front() == '/' || rest.front() == ':';
  }

  void take_dollar(std::string_view& text, std::string& result) const {
    const std::string_view name = name_after_dollar(text);
    if (name.empty()) {
      result += '$';
      text.remove_prefix(1);
      return;
    }
    result += value_of(name);
    const bool in_braces = text[1] == '{';
    text.remove_prefix(name.size() + (in_braces ? 3 : 1));
  }

  // Empty: the dollar is no more than that.
  static std::string_view name_after_dollar(std::string_view text) {
    const bool in_braces = text.size() > 1 && text[1] == '{';
    text.remove_prefix(in_braces ? 2 : 1);
    std::size_t end = 0;
    while (end < text.size() && is_of_name(text[end])) ++end;
    const bool begins_well = end > 0 && !(text[0] >= '0' && text[0] <= '9');
    const bool ends_well = !in_braces || (end < text.size() && text[end] == '}');
    return begins_well && ends_well ? text.substr(0, end) : std::string_view();
  }

  [[nodiscard]] std::string value_of(std::string_view name) const {
    for (auto one = before_.rbegin(); one != before_.rend(); ++one) {
      if (one->name == name && one->value) return *one->value;
    }
    return std::string(variable(call_, name).value_or(""));
  }

  const Call& call_;
  const std::vector<model::EnvSetting>& before_;
};

// As DeepSpeed does, strips both sides of the first '='.
Result<void> read_line(DeepspeedDraft& draft, std::string_view line, const base::Place& place,
                       std::vector<std::string>& left_out) {
  line = trimmed(line);
  if (line.empty() || line.starts_with('#')) return {};
  const std::size_t equals = line.find('=');
  const std::string_view name = trimmed(line.substr(0, equals));
  if (equals == std::string_view::npos || name.empty() ||
      name.find_first_of(" \t") != std::string_view::npos) {
    return base::fail_at(place, Fault::bad_file, "each line is NAME=VALUE", "{} is not a setting",
                         spec::in_quotes(line));
  }
  if (std::ranges::find(kOfEachRank, name) != std::end(kOfEachRank)) {
    add_once(left_out, std::string(name));
    return {};
  }
  auto& exports = draft.request.spec.apps.front().exports;
  std::string value = Expander(*draft.call, exports).expanded(trimmed(line.substr(equals + 1)));
  exports.push_back({std::string(name), std::move(value)});
  return {};
}

Result<void> read_settings(DeepspeedDraft& draft, std::string_view text, const std::string& path) {
  std::vector<std::string> left_out;
  for (std::uint32_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    auto read = read_line(draft, text.substr(0, end), {path, line, 1}, left_out);
    if (!read) return read;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (left_out.empty()) return {};
  add_once(draft.notices,
           fmt::format("{}: {} {} left out: each rank has its own", path, fmt::join(left_out, ", "),
                       left_out.size() == 1 ? "is" : "are"));
  return {};
}

// A file that is not there says nothing, unless the user has named it.
Result<void> read_file(DeepspeedDraft& draft, const std::string& path, bool named) {
  const ReadFile& read = named ? draft.call->read_file : reads_found(*draft.call);
  const auto text = read(path, kFileMax);
  if (!text) return named ? Result<void>(tl::unexpected(text.error())) : Result<void>();
  if (text->size() > kFileMax) {
    return base::fail_at({path, 0, 0}, Fault::bad_file, "", "the file is larger than 1 MiB");
  }
  return read_settings(draft, *text, path);
}

void add_python_path(DeepspeedDraft& draft) {
  std::string path = draft.call->current_folder;
  const auto given = variable(*draft.call, "PYTHONPATH");
  if (given && !given->empty()) path += ":" + std::string(*given);
  draft.request.spec.apps.front().exports.push_back({"PYTHONPATH", std::move(path), true});
}

}  // namespace

Result<void> settle_deepspeed_environment(DeepspeedDraft& draft) {
  if (draft.request.spec.hosts.size() < 2 && !draft.hosts.force_multi) return {};
  add_python_path(draft);
  const auto named = variable(*draft.call, "DS_ENV_FILE");
  if (named && !named->empty() && named->find('/') != std::string_view::npos) {
    return read_file(draft, absolute(*draft.call, *named), true);
  }
  const std::string name(named && !named->empty() ? *named : ".deepspeed_env");
  const auto home = variable(*draft.call, "HOME");
  Result<void> done;
  if (home && *home != draft.call->current_folder) {
    done = read_file(draft, std::string(*home) + "/" + name, false);
  }
  return done.and_then([&] { return read_file(draft, absolute(*draft.call, name), false); });
}

}  // namespace muster::front
