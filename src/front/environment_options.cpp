// What was typed, and what variables say, becomes the job's rule.
#include "front/environment_options.hpp"

#include <algorithm>
#include <fmt/ranges.h>

#include "base/words.hpp"
#include "spec/environment_rule.hpp"

namespace muster::front {
namespace {

using base::Result;

template <class T>
Result<T> named_after(std::string_view option, Result<T> read) {
  if (!read) read.error().what = fmt::format("{} {}", option, read.error().what);
  return read;
}

bool is_given_a_value(const model::JobSpec& spec, const std::string& name) {
  return std::ranges::any_of(spec.apps, [&](const model::App& app) {
    return std::ranges::count(app.exports, name, &model::EnvSetting::name) > 0;
  });
}

// A launcher in a rank leaves out the same.
void tell_launchers(model::JobSpec& spec) {
  const model::EnvironmentRule& rule = spec.environment;
  for (model::App& app : spec.apps) {
    if (!rule.unset.empty()) {
      const std::string names = fmt::format("{}", fmt::join(rule.unset, ","));
      app.exports.push_back({std::string(kUnsetVariable), names});
    }
    if (rule.silent) {
      app.exports.push_back({std::string(kDialectsVariable), list_of_dialects(*rule.silent)});
    }
  }
}

}  // namespace

Result<void> add_unset(const Typed& typed, model::EnvironmentRule& rule) {
  return named_after(typed.option, spec::read_unset(typed.value)).map([&](std::string name) {
    rule.unset.push_back(std::move(name));
  });
}

Result<void> choose_dialects(const Typed& typed, model::EnvironmentRule& rule) {
  return named_after(typed.option, spec::read_dialects(typed.value)).map([&](auto silent) {
    rule.silent = std::move(silent);
  });
}

Result<void> take_environment_rule(const Call& call, model::JobSpec& spec) {
  model::EnvironmentRule& rule = spec.environment;
  const auto unset = variable(call, kUnsetVariable).value_or("");
  for (const std::string& name : base::split(unset, ", ")) {
    if (is_given_a_value(spec, name)) continue;
    if (auto added = add_unset({kUnsetVariable, name}, rule); !added) return added;
  }
  const auto dialects = variable(call, kDialectsVariable).value_or("");
  if (!dialects.empty() && !rule.silent) {
    if (auto chosen = choose_dialects({kDialectsVariable, dialects}, rule); !chosen) {
      return chosen;
    }
  }
  tell_launchers(spec);
  return {};
}

void tell_threads(const Call& call, std::string_view launcher, const RunRequest& request,
                  std::vector<std::string>& notices) {
  if (!request.dry_run && !request.spec.verbose && !call.is_explained) return;
  // Whoever sets one of them decides about all.
  for (const char* name :
       {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) {
    if (variable(call, name) || is_given_a_value(request.spec, name)) return;
    if (model::is_unset(request.spec.environment, name)) return;
  }
  add_once(notices, fmt::format("OMP_NUM_THREADS and its like are each rank's share of the cores; "
                                "{} would not set them. Give them a value, or --unset NAME",
                                launcher));
}

std::string list_of_dialects(const std::vector<std::string>& silent) {
  return silent.empty() ? "all" : fmt::format("^{}", fmt::join(silent, ","));
}

}  // namespace muster::front
