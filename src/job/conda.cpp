// conda's environment.yml, as far as it can be told without conda.
#include "job/conda.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/words.hpp"
#include "job/yaml.hpp"

namespace muster::job {
namespace {

constexpr std::string_view kBlanksAround = " \t\r";
constexpr std::string_view kRelationLetters = "=<>!~";

std::string_view stripped(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanksAround);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanksAround) - first + 1);
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (byte < ' ') {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string json_list(const std::vector<std::string>& texts) {
  std::vector<std::string> written;
  written.reserve(texts.size());
  for (const std::string& text : texts) written.push_back(json_text(text));
  return fmt::format("[{}]", fmt::join(written, ", "));
}

void read_texts(const Node& list, std::string_view what, std::vector<std::string>& to,
                Complaints& complaints) {
  if (list.kind == Kind::nothing) return;
  if (list.kind != Kind::list) {
    complaints.add(list.begin, fmt::format("{} must be a list, not {}", what, word(list.kind)), "");
    return;
  }
  for (const SharedNode& item : list.items) {
    if (item->kind == Kind::text) {
      to.push_back(item->text);
    } else {
      complaints.add(item->begin,
                     fmt::format("{} must be a list of texts, not {}", what, word(item->kind)), "");
    }
  }
}

void read_packages(const Node& list, CondaPackages& packages, Complaints& complaints) {
  if (list.kind != Kind::list) {
    complaints.add(list.begin, "dependencies must be a list of packages",
                   "for example: dependencies: [python=3.11, {pip: [numpy]}]");
    return;
  }
  for (const SharedNode& item : list.items) {
    const Entry* pip = find(*item, "pip");
    if (item->kind == Kind::text) {
      packages.packages.push_back(item->text);
    } else if (pip != nullptr && item->entries.size() == 1) {
      read_texts(*pip->value, "pip", packages.pip, complaints);
      if (complaints.empty()) {
        for (const SharedNode& line : pip->value->items) packages.pip_at.push_back(line->begin);
      }
    } else {
      complaints.add(item->begin, "dependencies must be names of packages, or {pip: [...]}", "");
    }
  }
}

// The parts between dots, as numbers; a part that is none counts as 0.
std::vector<std::uint32_t> numbers_of(std::string_view version) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& part : base::split(version, ".")) {
    std::uint32_t number = 0;
    std::from_chars(part.data(), part.data() + part.size(), number);
    numbers.push_back(number);
  }
  return numbers;
}

bool begins_with(const std::vector<std::uint32_t>& whole, const std::vector<std::uint32_t>& part) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

bool is_one_wanted(std::string_view version, std::string_view wanted) {
  wanted = stripped(wanted);
  std::size_t end = wanted.find_first_not_of(kRelationLetters);
  const std::string_view relation = wanted.substr(0, std::min(end, wanted.size()));
  end = std::min(end, wanted.size());
  std::string_view number = stripped(wanted.substr(end));
  const bool is_prefix = number.ends_with('*') || relation.empty() || relation == "=";
  while (number.ends_with('*') || number.ends_with('.')) number.remove_suffix(1);
  const std::vector<std::uint32_t> has = numbers_of(version);
  std::vector<std::uint32_t> asked = numbers_of(number);
  if (relation.empty() || relation == "=" || (relation == "==" && is_prefix)) {
    return begins_with(has, asked);
  }
  if (relation == "!=") return !(is_prefix ? begins_with(has, asked) : has == asked);
  if (relation == "~=") {
    const bool is_later = has >= asked;
    if (asked.size() > 1) asked.pop_back();
    return is_later && begins_with(has, asked);
  }
  asked.resize(std::max(asked.size(), has.size()));
  if (relation == "==") return has == asked;
  if (relation == ">=") return has >= asked;
  if (relation == "<=") return has <= asked;
  if (relation == ">") return has > asked;
  return relation == "<" && has < asked;
}

}  // namespace

CondaPackages read_conda(const Node& root, Complaints& complaints) {
  CondaPackages packages;
  if (root.kind != Kind::map) {
    complaints.add(root.begin, fmt::format("the packages must be a map, not {}", word(root.kind)),
                   "for example: dependencies: [python=3.11, {pip: [numpy]}]");
    return packages;
  }
  if (const Entry* channels = find(root, "channels")) {
    read_texts(*channels->value, "channels", packages.channels, complaints);
  }
  if (const Entry* list = find(root, "dependencies")) {
    read_packages(*list->value, packages, complaints);
  } else {
    complaints.add(root.begin, "dependencies is missing: the packages",
                   "for example: dependencies: [python=3.11, {pip: [numpy]}]");
  }
  return packages;
}

std::string conda_text(const CondaPackages& packages) {
  std::string list = json_list(packages.packages);
  if (!packages.pip.empty()) {
    list.pop_back();
    list += fmt::format("{}{{\"pip\": {}}}]", packages.packages.empty() ? "" : ", ",
                        json_list(packages.pip));
  }
  const std::string channels =
      packages.channels.empty() ? ""
                                : fmt::format("\"channels\": {}, ", json_list(packages.channels));
  return fmt::format("{{{}\"dependencies\": {}}}\n", channels, list);
}

std::optional<CondaPackages> parse_conda_text(std::string_view text) {
  Document document = read_yaml(text, "packages");
  if (!document.root || !document.complaints.empty()) return std::nullopt;
  Complaints complaints("packages");
  CondaPackages packages = read_conda(*document.root, complaints);
  return complaints.empty() ? std::optional(std::move(packages)) : std::nullopt;
}

std::string package_name(std::string_view package) {
  const std::size_t channel = package.rfind("::");
  if (channel != std::string_view::npos) package.remove_prefix(channel + 2);
  const std::size_t end = package.find_first_of("=<>!~[ \t");
  return base::lower(stripped(package.substr(0, end)));
}

std::string version_wanted(std::string_view package) {
  const std::size_t channel = package.rfind("::");
  if (channel != std::string_view::npos) package.remove_prefix(channel + 2);
  package = package.substr(0, package.find('['));
  const std::size_t begin = package.find_first_of("=<>!~ \t");
  if (begin == std::string_view::npos) return "";
  package = stripped(package.substr(begin));
  std::string wanted;
  bool in_number = false;
  for (std::size_t i = 0; i < package.size(); ++i) {
    const char c = package[i];
    const bool is_operator = kRelationLetters.find(c) != std::string_view::npos;
    // "=3.8=build" and "3.8 build": what follows the version says how it was built.
    const bool ends = (c == '=' || kBlanksAround.find(c) != std::string_view::npos) && in_number;
    if (ends) break;
    if (kBlanksAround.find(c) != std::string_view::npos) continue;
    in_number = c != ',' && !is_operator;
    wanted += c;
  }
  return wanted;
}

bool is_wanted(std::string_view version, std::string_view wanted) {
  const auto fits = [&](const std::string& one) { return is_one_wanted(version, one); };
  const auto any = [&](const std::string& choice) {
    const std::vector<std::string> all = base::split(choice, ",");
    return std::ranges::all_of(all, fits);
  };
  const std::vector<std::string> choices = base::split(wanted, "|");
  return choices.empty() || std::ranges::any_of(choices, any);
}

std::vector<std::string> only_conda(const CondaPackages& packages) {
  std::vector<std::string> names;
  for (const std::string& package : packages.packages) {
    std::string name = package_name(package);
    if (name == "python" || name == "pip" || name == "setuptools") continue;
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> requirement_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string& line : base::split(text, "\n")) {
    std::string_view left = line;
    if (left.starts_with('#')) continue;
    left = stripped(left.substr(0, left.find(" #")));
    if (!left.empty()) lines.emplace_back(left);
  }
  return lines;
}

std::optional<std::string> required_file(std::string_view line) {
  line = stripped(line);
  for (const std::string_view option : {"--requirement", "-r"}) {
    if (!line.starts_with(option)) continue;
    std::string_view name = line.substr(option.size());
    if (name.starts_with('=')) name.remove_prefix(1);
    name = stripped(name);
    if (!name.empty()) return std::string(name);
  }
  return std::nullopt;
}

}  // namespace muster::job
