// MpirunDraft: what an mpirun line has asked for so far.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "front/call.hpp"
#include "front/front.hpp"
#include "front/hosts.hpp"
#include "front/output_styles.hpp"
#include "front/table.hpp"

namespace muster::front {

// One program of the line: what stands between two ':'.
struct MpirunBlock {
  model::App app;
  NamedHosts hosts;
  std::string added_hostfile;           // --add-hostfile
  std::vector<std::string> parameters;  // MCA parameters set in this block, to notice repeats
};

struct MpirunCount {
  std::uint32_t ranks = 1;
  model::Level level = model::Level::machine;
};

// "N ranks on each of these", by the options that say no more than that. They go together with
// --map-by, in any order; of several the first that is given here counts (found by trial, 4.1.4).
struct MpirunPerObject {
  std::optional<MpirunCount> one_per_node;  // --pernode
  std::optional<MpirunCount> per_node;      // -N, --npernode
  std::optional<MpirunCount> per_socket;    // --npersocket
  std::optional<MpirunCount> pattern;       // --ppr
};

// What the end of a rank means for the others.
struct MpirunEnd {
  bool go_on_after_code = false;      // orte_abort_on_non_zero_status 0
  bool go_on_after_anything = false;  // --enable-recovery, --continuous
  std::optional<std::uint32_t> restarts;
  bool tell_state = false;   // --report-state-on-timeout
  bool tell_stacks = false;  // --get-stack-traces
};

struct MpirunDraft {
  const Call* call = nullptr;
  RunRequest request;
  MpirunBlock block;                       // the one being read
  std::vector<MpirunBlock> blocks;         // those read before it
  std::vector<model::EnvSetting> for_all;  // of --gmca, --tune: for every program
  MpirunPerObject per_object;
  bool mapped_by_option = false;  // --map-by, which is stronger than the parameter
  bool memory_by_option = false;  // --mem-bind, likewise
  model::IfRefused memory_refused = model::IfRefused::tell;  // of the parameter
  std::string default_hostfile;
  std::optional<std::uint32_t> default_slots;  // of hosts in files; nothing: their cores
  std::string rankfile;
  std::string appfile;
  std::string prefix;
  std::string agent_words;  // plm_rsh_args
  std::string env_list;     // mca_base_env_list
  OpenMpiOutput output;
  MpirunEnd end;
  bool oversubscribe_said = false;  // by either option
  bool quiet = false;
  bool help = false;
  bool version = false;
  std::vector<std::string> notices;  // each once
};

// Adds a notice unless it is there.
void notice(MpirunDraft& draft, std::string text);

}  // namespace muster::front
