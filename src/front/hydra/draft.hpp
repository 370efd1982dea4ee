// HydraDraft: what an mpiexec line of MPICH or Intel MPI has asked for so far.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "front/front.hpp"
#include "front/hosts.hpp"
#include "front/output_styles.hpp"
#include "front/table.hpp"

namespace muster::front {

// What ranks get of this shell's environment.
struct HydraInherit {
  enum class What : std::uint8_t { all, none, list } what = What::all;
  std::vector<std::string> names = {};  // of `list`
  std::string option = {};              // as typed
};

// One program of the line: what stands between two ':'.
struct HydraBlock {
  model::App app;
  std::optional<HydraInherit> inherit;
  std::string hosts;  // -host
};

// What the end of a rank means for the others.
struct HydraEnd {
  bool auto_cleanup = true;
  bool print_exit_codes = false;
};

// How hosts are reached.
struct HydraReach {
  std::string launcher = {};                 // "ssh", "fork", "sge"; empty: what hosts suggest
  std::vector<std::string> executable = {};  // instead of ssh, srun, qrsh
  std::string manager = {};                  // of -rmk: "sge", "user"; empty: whichever is around
};

struct HydraDraft {
  const Call* call = nullptr;
  RunRequest request;
  HydraBlock block;                             // the one being read
  std::vector<HydraBlock> blocks;               // those read before it
  std::vector<model::EnvSetting> for_all;       // -genv
  std::vector<model::EnvSetting> file_for_all;  // -genv of a configuration file: weaker
  std::optional<HydraInherit> inherit;          // -genvall, -genvnone, -genvlist
  NamedHosts hosts;
  std::string config_file;
  std::string rank_map;
  std::string interface;
  HydraOutput output;
  HydraEnd end;
  HydraReach reach;
  enum class Order : std::uint8_t { written, up, down } order = Order::written;
  bool maps_by_gpu = false;
  std::set<const OptionText*> given;  // options for the whole job, on the line
  std::set<const OptionText*> given_in_file;
  bool from_file = false;  // a configuration file is being read
  bool help = false;
  bool info = false;
  std::vector<std::string> notices;  // each once
};

}  // namespace muster::front
