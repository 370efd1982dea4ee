// Variables by mpiexec's rules.
#include "front/hydra/environment.hpp"

#include <algorithm>

#include "base/words.hpp"
#include "front/call.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using model::EnvSetting;
using What = HydraInherit::What;

Result<EnvSetting> read_pair(const Typed& typed) {
  const std::size_t equals = typed.value.find('=');
  const std::string_view name = typed.value.substr(0, equals);
  if (name.empty() || name.find_first_of(", \t\n") != std::string_view::npos) {
    return fail(Fault::usage, "", "{}: {} is not a variable name", typed.option,
                spec::in_quotes(name));
  }
  const bool whole = equals != std::string_view::npos;
  return EnvSetting{std::string(name),
                    std::string(whole ? typed.value.substr(equals + 1) : typed.second)};
}

Result<void> set_once(std::optional<HydraInherit>& slot, const Typed& typed, What what) {
  if (slot) {
    return fail(Fault::usage, "keep one of them", "{} and {} cannot be combined", typed.option,
                slot->option);
  }
  slot = HydraInherit{what, base::split(typed.value, ","), std::string(typed.option)};
  if (what == What::list && slot->names.empty()) {
    return fail(Fault::usage, "", "{} names no variable", typed.option);
  }
  return {};
}

// What is asked for, or what Hydra's variable says.
HydraInherit inherit_of(const HydraDraft& draft) {
  if (draft.inherit) return *draft.inherit;
  const auto word = variable(*draft.call, "HYDRA_ENV");
  if (!word || *word == "all") return {};
  return {What::none, {}, "HYDRA_ENV"};
}

// A name without a value here is passed over, as by Hydra, but told.
void add_listed(HydraDraft& draft, const HydraInherit& inherit, std::vector<EnvSetting>& exports) {
  for (const std::string& name : inherit.names) {
    if (is_given(*draft.call, name)) continue;
    if (variable(*draft.call, name)) {
      exports.push_back({name, std::nullopt});
    } else {
      add_once(draft.notices, fmt::format("{}: {} is not set here", inherit.option, name));
    }
  }
}

void add_own(const HydraDraft& draft, std::vector<EnvSetting>& exports) {
  exports.push_back({"GFORTRAN_UNBUFFERED_PRECONNECTED", "y", true});
  if (draft.interface.empty()) return;
  exports.push_back({"MPIR_CVAR_NEMESIS_TCP_NETWORK_IFACE", draft.interface});
  exports.push_back({"GLOO_SOCKET_IFNAME", draft.interface});
  exports.push_back({"NCCL_SOCKET_IFNAME", "=" + draft.interface});  // '=': this very name
}

}  // namespace

Result<void> set_hydra_genv(HydraDraft& draft, const Typed& typed) {
  auto& settings = draft.from_file ? draft.file_for_all : draft.for_all;
  return read_pair(typed).map([&](EnvSetting one) { settings.push_back(std::move(one)); });
}

Result<void> set_hydra_env(HydraDraft& draft, const Typed& typed) {
  return read_pair(typed).map(
      [&](EnvSetting one) { draft.block.app.exports.push_back(std::move(one)); });
}

Result<void> set_hydra_ginherit(HydraDraft& draft, const Typed& typed, What what) {
  if (draft.from_file && draft.inherit) return {};
  return set_once(draft.inherit, typed, what);
}

Result<void> set_hydra_inherit(HydraDraft& draft, const Typed& typed, What what) {
  return set_once(draft.block.inherit, typed, what);
}

Result<void> settle_hydra_environment(HydraDraft& draft) {
  if (draft.interface.empty()) {
    draft.interface = std::string(variable(*draft.call, "HYDRA_IFACE").value_or(""));
  }
  const HydraInherit all = inherit_of(draft);
  for (HydraBlock& block : draft.blocks) {
    const HydraInherit inherit = block.inherit.value_or(all);
    block.app.clean = inherit.what != What::all;
    std::vector<EnvSetting> exports;
    add_own(draft, exports);
    add_listed(draft, inherit, exports);
    for (const auto* more : {&draft.file_for_all, &draft.for_all, &block.app.exports}) {
      exports.insert(exports.end(), more->begin(), more->end());
    }
    block.app.exports = std::move(exports);
  }
  return {};
}

}  // namespace muster::front
