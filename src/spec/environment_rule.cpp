// Reads names of variables and of dialects.
#include "spec/environment_rule.hpp"

#include <algorithm>
#include <fmt/ranges.h>

#include "base/nearest.hpp"
#include "base/words.hpp"
#include "model/environment_rule.hpp"
#include "spec/in_quotes.hpp"

namespace muster::spec {
namespace {

using base::fail;
using base::Fault;
using base::Result;

std::vector<std::string> all_dialects() {
  std::vector<std::string> names;
  for (const model::DialectName& one : model::kDialects) {
    if (names.empty() || names.back() != one.name) names.emplace_back(one.name);
  }
  return names;
}

Result<std::vector<std::string>> known_dialects(std::string_view list) {
  const std::vector<std::string> known = all_dialects();
  std::vector<std::string> names = base::split(list, ",");
  for (const std::string& name : names) {
    if (std::ranges::count(known, name) > 0) continue;
    return fail(Fault::usage,
                base::did_you_mean(name, known,
                                   "for example torch,mpich; ^jax for all but that; all; none"),
                "must be a list of {}, not {}", fmt::join(known, ", "), in_quotes(name));
  }
  if (!names.empty()) return names;
  return fail(Fault::usage, "none leaves out all of them", "must not be empty");
}

}  // namespace

Result<std::string> read_unset(std::string_view text) {
  const std::string_view begin = text.substr(0, text.find('*'));
  const bool is_name =
      !begin.empty() && text.find('=') == std::string_view::npos && text.size() - begin.size() <= 1;
  if (!is_name) {
    return fail(Fault::usage, "for example LOCAL_RANK, or NCCL_* for all that begin so",
                "must be the name of a variable, not {}", in_quotes(text));
  }
  if (begin.starts_with("PMI_") || begin.starts_with("PMIX_")) {
    return fail(Fault::usage, "muster run --wireup none starts ranks without it",
                "cannot be {}, by which MPI ranks find each other", in_quotes(text));
  }
  if (begin.starts_with("MUSTER_")) {
    return fail(Fault::usage, "no framework reads it", "cannot be {}, which muster itself needs",
                in_quotes(text));
  }
  return std::string(text);
}

Result<std::vector<std::string>> read_dialects(std::string_view text) {
  if (text == "all") return std::vector<std::string>();
  if (text == "none") return all_dialects();
  const bool excludes = text.starts_with('^');
  auto named = known_dialects(text.substr(excludes ? 1 : 0));
  if (!named || excludes) return named;
  std::vector<std::string> others = all_dialects();
  std::erase_if(others, [&](const auto& one) { return std::ranges::count(*named, one) > 0; });
  return others;
}

}  // namespace muster::spec
