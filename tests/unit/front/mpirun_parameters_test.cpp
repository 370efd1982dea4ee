// What no option and no parameter of mpirun may be: lost without a word.
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "front/mpirun/front.hpp"

namespace muster::front::mpirun_parameters_test {
namespace {

using Words = std::vector<std::string>;

base::Result<Reading> read(const Words& words, const Words& environment = {}) {
  return read_mpirun(
      {.called = "mpirun",
       .words = words,
       .environment = environment,
       .current_folder = "/here",
       .read_file = [](const std::string& path, std::size_t) -> base::Result<std::string> {
         if (path.ends_with("hosts")) return "n0 slots=4\nn1 slots=4\n";
         return base::fail_at({path, 0, 0}, base::Fault::bad_file, "", "no file");
       },
       .version = "1"});
}

// Of Open MPI 4.1's `ompi_info --all`, and some of PRRTE's: what mpirun and its daemons read.
constexpr const char* kOfTheLauncher[] = {"orte_abort_on_non_zero_status",
                                          "orte_abort_print_stack",
                                          "orte_abort_timeout",
                                          "orte_allocation_required",
                                          "orte_base_help_aggregate",
                                          "orte_base_user_debugger",
                                          "orte_cpu_set",
                                          "orte_create_session_dirs",
                                          "orte_daemon_spin",
                                          "orte_debug",
                                          "orte_debug_daemons",
                                          "orte_debug_daemons_file",
                                          "orte_default_dash_host",
                                          "orte_default_hostfile",
                                          "orte_enable_recovery",
                                          "orte_execute_quiet",
                                          "orte_fork_agent",
                                          "orte_forward_job_control",
                                          "orte_hetero_nodes",
                                          "orte_keep_fqdn_hostnames",
                                          "orte_launch_agent",
                                          "orte_leave_session_attached",
                                          "orte_max_restarts",
                                          "orte_max_vm_size",
                                          "orte_no_vm",
                                          "orte_node_regex_threshold",
                                          "orte_output_debugger_proctable",
                                          "orte_output_filename",
                                          "orte_progress_thread_debug",
                                          "orte_rankfile",
                                          "orte_remote_tmpdir_base",
                                          "orte_local_tmpdir_base",
                                          "orte_report_child_jobs_separately",
                                          "orte_report_events",
                                          "orte_report_launch_progress",
                                          "orte_set_default_slots",
                                          "orte_show_resolved_nodenames",
                                          "orte_startup_timeout",
                                          "orte_stack_trace_wait_timeout",
                                          "orte_static_ports",
                                          "orte_strip_prefix",
                                          "orte_tag_output",
                                          "orte_timeout_for_stack_trace",
                                          "orte_timestamp_output",
                                          "orte_tmpdir_base",
                                          "orte_use_common_port",
                                          "orte_xterm",
                                          "orte_xml_output",
                                          "rmaps_base_verbose",
                                          "rmaps_base_mapping_policy",
                                          "rmaps_base_ranking_policy",
                                          "rmaps_base_n_pernode",
                                          "rmaps_base_n_persocket",
                                          "rmaps_base_pernode",
                                          "rmaps_base_cpus_per_rank",
                                          "rmaps_base_inherit",
                                          "rmaps_base_no_schedule_local",
                                          "rmaps_base_oversubscribe",
                                          "rmaps_base_no_oversubscribe",
                                          "rmaps_base_display_map",
                                          "rmaps_base_display_devel_map",
                                          "rmaps_base_topo_display_diffable",
                                          "rmaps_base_slot_list",
                                          "rmaps_base_schedule_policy",
                                          "rmaps_ppr_pattern",
                                          "rmaps_ppr_priority",
                                          "rmaps_rank_file_path",
                                          "rmaps_dist_device",
                                          "rmaps_seq_priority",
                                          "rmaps",
                                          "plm",
                                          "plm_base_verbose",
                                          "plm_rsh_agent",
                                          "plm_rsh_args",
                                          "plm_rsh_assume_same_shell",
                                          "plm_rsh_delay",
                                          "plm_rsh_force_rsh",
                                          "plm_rsh_no_tree_spawn",
                                          "plm_rsh_num_concurrent",
                                          "plm_rsh_disable_qrsh",
                                          "plm_rsh_disable_llspawn",
                                          "plm_rsh_pass_libpath",
                                          "plm_slurm_args",
                                          "plm_slurm_launch_agent",
                                          "ras",
                                          "ras_base_display_alloc",
                                          "ras_base_multiplier",
                                          "ras_base_launch_orted_on_hn",
                                          "ras_base_max_num_hosts",
                                          "ras_simulator_slots",
                                          "odls",
                                          "odls_base_sigkill_timeout",
                                          "odls_base_max_threads",
                                          "odls_base_exec_agent",
                                          "odls_base_signal_direct_children_only",
                                          "oob",
                                          "oob_tcp_if_include",
                                          "oob_tcp_if_exclude",
                                          "oob_tcp_static_ipv4_ports",
                                          "oob_tcp_dynamic_ipv4_ports",
                                          "rml_base_verbose",
                                          "routed",
                                          "routed_radix",
                                          "grpcomm",
                                          "errmgr_base_verbose",
                                          "state_base_verbose",
                                          "iof_base_verbose",
                                          "iof_base_redirect_app_stderr_to_stdout",
                                          "filem",
                                          "ess_base_forward_signals",
                                          "schizo",
                                          "rtc",
                                          "rtc_hwloc_priority",
                                          "hwloc_base_binding_policy",
                                          "hwloc_base_bind_to_core",
                                          "hwloc_base_bind_to_socket",
                                          "hwloc_base_report_bindings",
                                          "hwloc_base_cpu_list",
                                          "hwloc_base_cpu_set",
                                          "hwloc_base_slot_list",
                                          "hwloc_base_topo_file",
                                          "hwloc_base_use_hwthreads_as_cpus",
                                          "hwloc_base_mem_alloc_policy",
                                          "hwloc_base_mem_bind_failure_action",
                                          "prte_set_default_slots",
                                          "prte_tmpdir_base",
                                          "prteif_base_verbose",
                                          "hwloc_default_binding_policy",
                                          "hwloc_default_cpu_list"};

// What mpirun would do, and nothing has to be done for here.
const std::set<std::string> kNeedless = {"orte_timeout_for_stack_trace",
                                         "orte_keep_fqdn_hostnames",
                                         "plm_rsh_no_tree_spawn",
                                         "plm_rsh_pass_libpath",
                                         "plm_rsh_delay",
                                         "orte_base_help_aggregate"};

// Without what ranks are told of their own MPI library.
model::JobSpec wanted(const Reading& reading) {
  model::JobSpec spec = reading.request->spec;
  for (model::App& app : spec.apps) {
    std::erase_if(app.exports, [](const auto& one) { return one.name.starts_with("OMPI_MCA_"); });
  }
  return spec;
}

// Refused, named, or of some effect.
bool counts(const base::Result<Reading>& reading, const Words& plain, const std::string& name) {
  if (!reading || !reading->request) return true;
  for (const std::string& notice : reading->notices) {
    if (notice.find(name) != std::string::npos) return true;
  }
  const auto without = read(plain);
  const auto& [was, is] = std::pair(*without->request, *reading->request);
  return wanted(*reading) != wanted(*without) || was.shown.map != is.shown.map ||
         was.shown.allocation != is.shown.allocation || was.shown.bindings != is.shown.bindings ||
         reading->notices != without->notices;
}

bool counts_somewhere(const std::string& name) {
  for (const Words& plain : {Words{"--hostfile", "hosts", "-n", "2", "p"}, Words{"-n", "2", "p"}}) {
    for (const char* value : {"1", "0", "core", "none", "node", "n1", "/x", "local_only", "error",
                              "hosts", "ppr:1:node", "eth0"}) {
      Words words = {"-mca", name, value};
      words.insert(words.end(), plain.begin(), plain.end());
      if (counts(read(words), plain, name)) return true;
    }
  }
  return false;
}

TEST(MpirunParameters, OfTheLauncherAreHeardOrNamed) {
  for (const std::string name : kOfTheLauncher) {
    EXPECT_EQ(counts_somewhere(name), !kNeedless.contains(name)) << name;
  }
}

// One argument or two, such as its readers may take.
std::vector<Words> values_of(const OptionText& option) {
  if (option.takes == Takes::nothing || option.traits.arity == Arity::optional) return {{}};
  if (option.traits.arity == Arity::two) return {{"a", "b"}};
  std::vector<Words> values;
  for (const char* one : {"2", "hosts", "0", "core", "node", "n0", "USR1", "x", "local", "all",
                          "ppr:1:node", "n0=0", "TERM"}) {
    values.push_back({one});
  }
  return values;
}

Words line(const Words& before, const Words& option, const Words& after) {
  Words words = before;
  words.insert(words.end(), option.begin(), option.end());
  words.insert(words.end(), after.begin(), after.end());
  return words;
}

std::string outcome(const base::Result<Reading>& reading) {
  if (!reading) return reading.error().what;
  return reading->text.empty() ? "" : "text";
}

// Open MPI hears it wherever it stands.
TEST(MpirunOptions, OfTheJobCountBehindAColonOrAreRefused) {
  std::size_t heard = 0;
  for (const OptionText* option : mpirun_options()) {
    if (option->traits.scope != Scope::job || option->traits.ends) continue;
    const std::string name(names_of(*option).front());
    for (const Words& value : values_of(*option)) {
      Words typed = {name};
      typed.insert(typed.end(), value.begin(), value.end());
      const auto first = read(line({}, line(typed, {"-n", "1", "p", ":"}, {}), {"-n", "1", "q"}));
      const auto later = read(line({"-n", "1", "p", ":"}, typed, {"-n", "1", "q"}));
      if (!later && later.error().what.starts_with(name)) continue;  // refused, and not lost
      EXPECT_EQ(outcome(later), outcome(first)) << name;
      if (!first || !first->request || !later || !later->request) continue;
      EXPECT_EQ(later->request->spec, first->request->spec) << name;
      EXPECT_EQ(later->notices, first->notices) << name;
      ++heard;
    }
  }
  EXPECT_GT(heard, 100U);
}

}  // namespace
}  // namespace muster::front::mpirun_parameters_test
