// Collects MCA parameters and carries out those that muster has a meaning for.
#include "front/mpirun/mca.hpp"

#include <algorithm>
#include <utility>

#include "base/words.hpp"
#include "front/mpirun/honoured.hpp"
#include "option/values.hpp"
#include "spec/hosts.hpp"
#include "spec/in_quotes.hpp"
#include "spec/word_lines.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using spec::in_quotes;

std::string_view without_quotes(std::string_view text) {
  if (text.size() > 1 && text.starts_with('"') && text.ends_with('"')) {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

Result<void> check_key(const Typed& typed) {
  const bool odd = typed.value.find_first_of("= \t\n") != std::string_view::npos;
  if (!typed.value.empty() && !odd) return {};
  return fail(Fault::usage, "for example -mca btl ^openib", "{}: {} is not a parameter name",
              typed.option, in_quotes(typed.value));
}

// "sm,self", "^sm": with vader for sm.
std::string with_old_names(const std::string& list) {
  std::string text = list.starts_with('^') ? "^" : "";
  const std::size_t begin = text.size();
  for (const std::string& name : base::split(std::string_view(list).substr(begin), ",")) {
    if (text.size() > begin) text += ',';
    text += name == "sm" ? "vader" : name;
  }
  return text;
}

// What ranks are given for a parameter: 5 has renamed some of 4.1 and still knows the old names
// (its ompi_info --all), and 4.1 knows no others. So both hear the old name, whichever a rank was
// built with. vader is a component of the framework btl, sm in 5; 4.1 has another sm, which is
// dead.
void export_parameter(std::vector<model::EnvSetting>& exports, const std::string& key,
                      std::string value) {
  constexpr std::string_view kNew = "btl_sm_";
  if (key == "btl") value = with_old_names(value);
  if (key.starts_with(kNew)) {
    exports.push_back({"OMPI_MCA_btl_vader_" + key.substr(kNew.size()), value});
  }
  exports.push_back({"OMPI_MCA_" + key, std::move(value)});
}

// Of a variable that ranks get anyway: what it should have been called.
void export_old_names(MpirunDraft& draft, const std::string& key, const std::string& value) {
  const bool is_new =
      key.starts_with("btl_sm_") || (key == "btl" && with_old_names(value) != value);
  if (is_new) export_parameter(draft.for_all, key, value);
}

// Nothing about mpirun's own work is lost without a word. `said`: how the parameter was given.
Result<void> carry_out(MpirunDraft& draft, std::string_view key, std::string_view value,
                       std::string_view said) {
  const auto done = honour(draft, key, value);
  if (done) return *done;
  notice(draft, fmt::format("{} has no effect here: it is for mpirun's own work", said));
  return {};
}

Result<void> carry_out_if_ours(MpirunDraft& draft, std::string_view key, std::string_view value) {
  if (!is_of_the_launcher(key)) return honour(draft, key, value).value_or(Result<void>());
  return carry_out(draft, key, value, fmt::format("MCA parameter {}", key));
}

Result<void> add_parameter(MpirunDraft& draft, const Typed& typed,
                           std::vector<model::EnvSetting>& exports) {
  if (auto fine = check_key(typed); !fine) return fine;
  auto& seen = draft.block.parameters;
  const std::string key(typed.value);
  if (std::ranges::find(seen, key) != seen.end()) {
    return fail(Fault::usage, "keep one of them", "{} {} is given twice", typed.option, key);
  }
  seen.push_back(key);
  const std::string_view value = without_quotes(typed.second);
  export_parameter(exports, key, std::string(value));
  return carry_out_if_ours(draft, key, value);
}

// For the ranks of every program, whichever is being read.
Result<void> export_for_all(MpirunDraft& draft, const std::string& setting) {
  auto& own = draft.block.app.exports;
  auto kept = std::exchange(own, {});
  auto added = add_export(draft, {"-x", setting});
  draft.for_all.insert(draft.for_all.end(), own.begin(), own.end());
  own = std::move(kept);
  return added;
}

// Files of defaults, the weakest first. mca_base_param_files names others instead (Open MPI's
// opal/mca/base/mca_base_var.c); where none are named, they need not be there.
struct DefaultFiles {
  std::vector<std::string> paths;
  bool named = false;
};

DefaultFiles default_files(const Call& call) {
  for (const char* name : {"OMPI_MCA_mca_base_param_files", "OMPI_MCA_mca_param_files"}) {
    if (const auto list = variable(call, name)) {
      DefaultFiles files{base::split(*list, ",:"), true};
      std::ranges::reverse(files.paths);
      return files;
    }
  }
  DefaultFiles files{{"/etc/openmpi/openmpi-mca-params.conf", "/etc/openmpi/prte-mca-params.conf"}};
  const auto home = variable(call, "HOME");
  if (!home) return files;
  for (const char* folder : {"/.openmpi", "/.prte"}) {
    files.paths.push_back(std::string(*home) + folder + "/mca-params.conf");
  }
  return files;
}

// The ranks' MPI library reads it too.
Result<void> read_defaults(MpirunDraft& draft, const std::string& path, bool must_be_there) {
  const ReadFile& read = must_be_there ? draft.call->read_file : reads_found(*draft.call);
  if (!read) return {};
  const auto text = read(path, spec::kHostTextMax);
  if (!text && must_be_there) return tl::unexpected(text.error());
  if (!text) return {};
  const auto settings = spec::read_tune_file(*text, path);
  if (!settings) return tl::unexpected(settings.error());
  for (const spec::TuneSetting& setting : *settings) {
    auto done = setting.parameter
                    ? carry_out_if_ours(draft, setting.name, without_quotes(setting.value))
                    : export_for_all(draft, setting.name);
    if (!done) {
      done.error().place = setting.place;
      return done;
    }
  }
  return {};
}

Result<void> read_tune_file(MpirunDraft& draft, const std::string& path) {
  const auto text = draft.call->read_file(absolute(*draft.call, path), spec::kHostTextMax);
  if (!text) return tl::unexpected(text.error());
  const auto settings = spec::read_tune_file(*text, path);
  if (!settings) return tl::unexpected(settings.error());
  for (const spec::TuneSetting& setting : *settings) {
    Result<void> done;
    if (setting.parameter) {
      const std::string_view value = without_quotes(setting.value);
      export_parameter(draft.for_all, setting.name, std::string(value));
      done = carry_out_if_ours(draft, setting.name, value);
    } else {
      done = export_for_all(draft, setting.name);
    }
    if (done) continue;
    done.error().place = setting.place;
    return done;
  }
  return {};
}

// Whatever PRRTE reads is for mpirun's own work.
Result<void> take_variable(MpirunDraft& draft, std::string_view name, std::string_view value) {
  for (const std::string_view prefix : {"OMPI_MCA_", "PRTE_MCA_"}) {
    if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
    const std::string_view key = name.substr(prefix.size());
    const bool is_ours = prefix == "PRTE_MCA_" || is_of_the_launcher(key);
    if (!is_ours) export_old_names(draft, std::string(key), std::string(without_quotes(value)));
    const bool is_stale = is_of_another_launch(key) || is_given(*draft.call, name);
    if (is_ours && !is_stale) return carry_out(draft, key, without_quotes(value), name);
    return honour(draft, key, without_quotes(value)).value_or(Result<void>());
  }
  return {};
}

void export_all_that_begin(MpirunDraft& draft, std::string_view prefix) {
  for (const std::string& entry : draft.call->environment) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || !entry.starts_with(prefix)) continue;
    draft.block.app.exports.push_back({entry.substr(0, equals), entry.substr(equals + 1)});
  }
}

// 'X;W=3' (opal/mca/base/mca_base_var.c).
Result<void> apply_env_list(MpirunDraft& draft) {
  if (draft.env_list.empty()) return {};
  for (const MpirunBlock& block : draft.blocks) {
    const bool exports = std::ranges::any_of(block.app.exports, [](const auto& setting) {
      return !setting.name.starts_with("OMPI_MCA_");
    });
    if (exports) {
      return fail(Fault::usage, "put all variables into one of them",
                  "-x and mca_base_env_list cannot be combined");
    }
  }
  draft.block = {};
  for (const std::string& one : base::split(draft.env_list, ";")) {
    if (auto added = add_export(draft, {"mca_base_env_list", one}); !added) return added;
  }
  for (MpirunBlock& block : draft.blocks) {
    auto& exports = block.app.exports;
    const auto& more = draft.block.app.exports;
    exports.insert(exports.begin(), more.begin(), more.end());
  }
  return {};
}

// P/bin and P/lib in front, even of what -x gives (orte/mca/odls/base).
void apply_prefix(const MpirunDraft& draft, model::App& app) {
  const auto in_front = [&](const std::string& name, const std::string& folder) {
    std::string value = draft.prefix + folder;
    std::string_view rest = variable(*draft.call, name).value_or("");
    for (const auto& setting : app.exports) {
      if (setting.name == name && setting.value) rest = *setting.value;
    }
    if (!rest.empty()) value += ":" + std::string(rest);
    app.exports.push_back({name, value});
  };
  in_front("PATH", "/bin");
  in_front("LD_LIBRARY_PATH", "/lib");
}

}  // namespace

Result<void> set_parameter(MpirunDraft& draft, const Typed& typed) {
  return add_parameter(draft, typed, draft.block.app.exports);
}

Result<void> set_global_parameter(MpirunDraft& draft, const Typed& typed) {
  return add_parameter(draft, typed, draft.for_all);
}

Result<void> set_pmix_parameter(MpirunDraft& draft, const Typed& typed) {
  if (auto fine = check_key(typed); !fine) return fine;
  draft.for_all.push_back(
      {"PMIX_MCA_" + std::string(typed.value), std::string(without_quotes(typed.second))});
  return {};
}

Result<void> read_tune_files(MpirunDraft& draft, const Typed& typed) {
  const auto paths = base::split(typed.value, ",");
  if (paths.empty()) return fail(Fault::usage, "", "{} has an empty value", typed.option);
  for (const std::string& path : paths) {
    if (auto read = read_tune_file(draft, path); !read) return read;
  }
  return {};
}

Result<void> add_export(MpirunDraft& draft, const Typed& typed) {
  if (typed.value.size() > 1 && typed.value.ends_with('*') &&
      typed.value.find('=') == std::string_view::npos) {
    export_all_that_begin(draft, typed.value.substr(0, typed.value.size() - 1));
    return {};
  }
  auto setting = read_setting(typed);
  if (!setting) return tl::unexpected(setting.error());
  if (!setting->value && is_given(*draft.call, setting->name)) return {};
  if (!setting->value && !variable(*draft.call, setting->name)) {
    notice(draft, fmt::format("{} {}: no such variable is set; ranks start without it",
                              typed.option, setting->name));
    return {};
  }
  draft.block.app.exports.push_back(std::move(*setting));
  return {};
}

Result<void> read_inherited_parameters(MpirunDraft& draft) {
  const DefaultFiles files = default_files(*draft.call);
  for (const std::string& path : files.paths) {
    if (auto read = read_defaults(draft, path, files.named); !read) return read;
  }
  for (const std::string& entry : draft.call->environment) {
    const std::string_view text(entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    auto done = take_variable(draft, text.substr(0, equals), text.substr(equals + 1));
    if (done) continue;
    done.error().place = {std::string(text.substr(0, equals)), 0, 0};
    return done;
  }
  return {};
}

Result<void> settle_parameters(MpirunDraft& draft) {
  if (auto listed = apply_env_list(draft); !listed) return listed;
  for (MpirunBlock& block : draft.blocks) {
    auto& exports = block.app.exports;
    exports.insert(exports.begin(), draft.for_all.begin(), draft.for_all.end());
    if (!draft.prefix.empty()) apply_prefix(draft, block.app);
  }
  if (draft.agent_words.empty()) return {};
  auto words = option::read_words({"plm_rsh_args", draft.agent_words});
  if (!words) return tl::unexpected(words.error());
  auto& command = draft.request.spec.carrier.command;
  command.insert(command.end(), words->begin(), words->end());
  return {};
}

}  // namespace muster::front
