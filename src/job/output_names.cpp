// Finds the two expressions by their text: an output's path is no place for others.
#include "job/output_names.hpp"

#include <fmt/format.h>
#include <utility>

#include "job/binding.hpp"
#include "job/names.hpp"
#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

constexpr std::string_view kOpen = "${{";
constexpr std::string_view kShut = "}}";

}  // namespace

std::string store_of(std::string_view text) {
  return std::string(is_in_azure(text) ? text.substr(text.find(':') + 1) : text);
}

std::string with_names(std::string_view path, const OutputNames& names) {
  std::string filled;
  while (true) {
    const std::size_t open = path.find(kOpen);
    const std::size_t shut = path.find(kShut, open);
    if (open == std::string_view::npos || shut == std::string_view::npos) {
      return filled.append(path);
    }
    const std::size_t begin = open + kOpen.size();
    const std::string_view word = without_blanks(path.substr(begin, shut - begin));
    const std::size_t end = shut + kShut.size();
    filled += path.substr(0, open);
    if (word == "name") {
      filled += names.run;
    } else if (word == "default_datastore") {
      filled += names.store;
    } else {
      filled += path.substr(open, end - open);
    }
    path.remove_prefix(end);
  }
}

std::string other_expression(std::string_view path) {
  const std::string left = with_names(path, {});
  const std::size_t open = left.find(kOpen);
  if (open == std::string::npos) return {};
  const std::size_t shut = left.find(kShut, open);
  return left.substr(open, shut == std::string::npos ? shut : shut + kShut.size() - open);
}

Text led_output(Text path, const OutputNames& names, const FindData& find, Complaints& complaints) {
  std::string filled = with_names(path.text, names);
  if (!is_elsewhere(filled)) {
    path.text = std::move(filled);
    return path;
  }
  if (!find) return path;
  const auto found = find(filled);
  if (!found) {
    complaints.add(path.begin, found.error().what, found.error().hint);
  } else if (found->reached && is_fetched(found->reached->to)) {
    complaints.add(path.begin,
                   fmt::format("{} leads to {}, where no output can go", spec::in_quotes(filled),
                               spec::in_quotes(found->reached->to)),
                   "name a folder of the hosts");
  } else if (found->reached) {
    path.text = found->reached->to;
  }
  return path;
}

}  // namespace muster::job
