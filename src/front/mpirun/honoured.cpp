// A table from parameter to what it does.
#include "front/mpirun/honoured.hpp"

#include <algorithm>

#include "base/words.hpp"
#include "front/mpirun/end.hpp"
#include "front/mpirun/output.hpp"
#include "front/mpirun/place.hpp"
#include "front/mpirun/signals.hpp"
#include "front/reach_options.hpp"
#include "option/values.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;

struct Parameter {
  std::string_view names;  // of 4.1, and those of 5 that old_name() does not find; blanks between
  Result<void> (*set)(MpirunDraft&, const Typed&);
};

// MCA's truth values (opal/mca/base/mca_base_var.c).
Result<bool> read_truth(const Typed& typed) {
  const std::string word = base::lower(typed.value);
  for (const std::string_view yes : {"1", "true", "t", "yes", "y", "enabled", "enable", "on"}) {
    if (word == yes) return true;
  }
  for (const std::string_view no : {"0", "false", "f", "no", "n", "disabled", "disable", "off"}) {
    if (word == no) return false;
  }
  return fail(Fault::usage, "", "{} must be 0 or 1, not {}", typed.option,
              spec::in_quotes(typed.value));
}

template <class Apply>
Result<void> if_true(const Typed& typed, Apply apply) {
  const auto truth = read_truth(typed);
  if (!truth) return tl::unexpected(truth.error());
  if (*truth) apply();
  return {};
}

Result<void> nothing(MpirunDraft&, const Typed&) { return {}; }

// "ssh : rsh": programs to try in turn. Here the first counts; nobody may look for them on PATH.
Result<void> set_agent(MpirunDraft& draft, const Typed& typed) {
  const std::string first(typed.value.substr(0, typed.value.find(" :")));
  auto words = option::read_words({typed.option, first});
  if (!words) return tl::unexpected(words.error());
  draft.request.spec.carrier.command = std::move(*words);
  return {};
}

Result<void> set_grace(MpirunDraft& draft, const Typed& typed) {
  const auto time = read_seconds(typed, spec::kGrace);
  if (!time) return tl::unexpected(time.error());
  draft.request.spec.grace = *time;
  return {};
}

Result<void> set_abort(MpirunDraft& draft, const Typed& typed) {
  const auto truth = read_truth(typed);
  if (!truth) return tl::unexpected(truth.error());
  draft.end.go_on_after_code = !*truth;
  return {};
}

// A number; or "cores" and the like, of which cores are what counts here anyway.
Result<void> set_default_slots(MpirunDraft& draft, const Typed& typed) {
  const bool is_number = typed.value.find_first_not_of("0123456789") == std::string_view::npos;
  if (is_number) {
    return read_count(typed, {1, model::kRanksMax}).map([&](std::uint32_t slots) {
      draft.default_slots = slots;
    });
  }
  if (typed.value != "cores" && typed.value != "none") {
    notice(draft, fmt::format("MCA parameter {} {}: cores count as slots here", typed.option,
                              typed.value));
  }
  return {};
}

constexpr Parameter kParameters[] = {
    {"orte_abort_on_non_zero_status", set_abort},
    {"orte_enable_recovery",
     [](MpirunDraft& d, const Typed& t) {
       return if_true(t, [&] { d.end.go_on_after_anything = true; });
     }},
    {"orte_max_restarts", set_max_restarts},
    {"plm_rsh_agent orte_rsh_agent pls_rsh_agent", set_agent},
    {"plm_rsh_args",
     [](MpirunDraft& d, const Typed& t) -> Result<void> {
       d.agent_words = t.value;
       return {};
     }},
    {"plm_rsh_num_concurrent", take_reach<MpirunDraft, Reach::most_open>},
    {"orte_default_hostfile",
     [](MpirunDraft& d, const Typed& t) -> Result<void> {
       d.default_hostfile = t.value == "none" ? "" : std::string(t.value);
       return {};
     }},
    {"orte_set_default_slots", set_default_slots},
    {"rmaps_base_mapping_policy rmaps_default_mapping_policy", map_by_parameter},
    {"rmaps_base_ranking_policy rmaps_default_ranking_policy", set_rank_by},
    {"hwloc_base_binding_policy hwloc_default_binding_policy", set_bind_to},
    {"rmaps_dist_device", set_dist_device},
    {"rmaps_ppr_pattern", set_ppr},
    {"rmaps_base_n_pernode", set_per_node},
    {"rmaps_base_n_persocket", set_per_socket},
    {"rmaps_base_pernode",
     [](MpirunDraft& d, const Typed& t) {
       Result<void> done;
       const auto truth = if_true(t, [&] { done = set_one_per_node(d); });
       return truth ? done : truth;
     }},
    {"rmaps_base_cpus_per_rank rmaps_base_cpus_per_proc", set_cpus_per_rank},
    {"rmaps_base_oversubscribe",
     [](MpirunDraft& d, const Typed& t) {
       return if_true(t, [&] { d.request.spec.oversubscribe = true; });
     }},
    {"rmaps_base_no_oversubscribe",
     [](MpirunDraft& d, const Typed& t) {
       return if_true(t, [&] { d.request.spec.mapping.no_oversubscribe = true; });
     }},
    {"rmaps_base_no_schedule_local",
     [](MpirunDraft& d, const Typed& t) {
       return if_true(t, [&] { d.request.spec.mapping.no_local = true; });
     }},
    {"rmaps_base_display_map",
     [](MpirunDraft& d, const Typed& t) {
       return if_true(t, [&] { d.request.shown.map = true; });
     }},
    {"ras_base_display_alloc",
     [](MpirunDraft& d, const Typed& t) {
       return if_true(t, [&] { d.request.shown.allocation = true; });
     }},
    {"hwloc_base_report_bindings",
     [](MpirunDraft& d, const Typed& t) {
       return if_true(t, [&] { d.request.shown.bindings = true; });
     }},
    {"hwloc_base_mem_alloc_policy", memory_by_parameter},
    {"hwloc_base_mem_bind_failure_action", set_memory_failure},
    {"hwloc_base_use_hwthreads_as_cpus",
     [](MpirunDraft& d, const Typed& t) {
       return if_true(t, [&] { d.request.spec.mapping.hwthread_cpus = true; });
     }},
    {"hwloc_base_cpu_set", set_cpu_set},
    {"hwloc_base_cpu_list hwloc_default_cpu_list", set_cpu_list},
    {"orte_rankfile rmaps_rank_file_path",
     [](MpirunDraft& d, const Typed& t) -> Result<void> {
       d.rankfile = t.value;
       return {};
     }},
    {"orte_tag_output",
     [](MpirunDraft& d, const Typed& t) {
       return if_true(t, [&] { d.output.tag = OpenMpiOutput::Tag::job_and_rank; });
     }},
    {"orte_timestamp_output",
     [](MpirunDraft& d, const Typed& t) { return if_true(t, [&] { d.output.timestamp = true; }); }},
    {"orte_xml_output",
     [](MpirunDraft& d, const Typed& t) { return if_true(t, [&] { d.output.xml = true; }); }},
    {"orte_output_filename", set_output_filename},
    {"orte_timeout_for_stack_trace orte_keep_fqdn_hostnames plm_rsh_no_tree_spawn "
     "plm_rsh_pass_environ_mca_params plm_rsh_pass_libpath plm_rsh_delay plm_rsh_priority "
     "orte_allowed_exit_without_sync orte_base_help_aggregate",
     nothing},
    {"odls_base_sigkill_timeout", set_grace},
    {"ess_base_forward_signals ess_hnp_forward_signals", set_forward_signals},
    {"mca_base_env_list",
     [](MpirunDraft& d, const Typed& t) -> Result<void> {
       d.env_list = t.value;
       return {};
     }},
};

// As 4.1 would call it.
std::string old_name(std::string_view key) {
  if (key.starts_with("prte_")) return "orte_" + std::string(key.substr(5));
  if (key.starts_with("plm_ssh_")) return "plm_rsh_" + std::string(key.substr(8));
  return std::string(key);
}

// "~/hosts" lies in the home folder (opal/mca/base/mca_base_var.c), whoever has given it.
std::string with_home(const MpirunDraft& draft, std::string_view value) {
  const auto home = variable(*draft.call, "HOME");
  if (!value.starts_with("~/") || !home) return std::string(value);
  return std::string(*home) + std::string(value.substr(1));
}

}  // namespace

std::optional<Result<void>> honour(MpirunDraft& draft, std::string_view key,
                                   std::string_view value) {
  const std::string name = old_name(key);
  const std::string full = with_home(draft, value);
  for (const Parameter& parameter : kParameters) {
    const auto names = base::split(parameter.names, " ");
    if (std::ranges::find(names, name) == names.end()) continue;
    return parameter.set(draft, {key, full});
  }
  return std::nullopt;
}

bool is_of_the_launcher(std::string_view key) {
  constexpr std::string_view kFrameworks[] = {
      "orte",   "prte",    "plm",    "ras",   "rmaps",  "odls",         "oob", "rml",
      "routed", "grpcomm", "errmgr", "state", "iof",    "filem",        "dfs", "snapc",
      "sstore", "ess",     "schizo", "rtc",   "prteif", "prtebacktrace"};
  // PRRTE's; 4.1's, whose library in the ranks leaves placing and binding to mpirun.
  if (key.starts_with("hwloc_default_") || key.starts_with("hwloc_base_")) return true;
  const std::string_view framework = key.substr(0, key.find('_'));
  return std::ranges::find(kFrameworks, framework) != std::end(kFrameworks);
}

bool is_of_another_launch(std::string_view key) {
  constexpr std::string_view kNames[] = {"ess",
                                         "ess_base_jobid",
                                         "ess_base_vpid",
                                         "orte_app_num",
                                         "orte_base_app_num",
                                         "orte_bound_at_launch",
                                         "orte_ess_node_rank",
                                         "orte_ess_num_procs",
                                         "orte_hnp_uri",
                                         "orte_jobfam_session_dir",
                                         "orte_launch",
                                         "orte_local_daemon_uri",
                                         "orte_num_nodes",
                                         "orte_parent_uri",
                                         "orte_precondition_transports",
                                         "orte_tmpdir_base",
                                         "orte_top_session_dir"};
  return std::ranges::find(kNames, key) != std::end(kNames);
}

}  // namespace muster::front
