// DeepspeedDraft: what a line of DeepSpeed's launcher has asked for so far.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "front/front.hpp"
#include "front/hosts.hpp"

namespace muster::front {

struct DeepspeedHosts {
  NamedHosts named = {};  // none: those of /job/hostfile, if it is there
  std::string include = {};
  std::string exclude = {};
  std::optional<std::uint32_t> nodes = {};
  std::optional<std::uint32_t> devices = {};  // --num_gpus
  bool force_multi = false;
};

// How the script is called.
struct DeepspeedScript {
  bool module = false;
  bool no_python = false;
  bool no_local_rank = false;
  bool by_mpi = false;  // --launcher openmpi and its kin: ranks ask MPI who they are
};

struct DeepspeedDraft {
  const Call* call = nullptr;
  RunRequest request;
  DeepspeedHosts hosts;
  DeepspeedScript script;
  std::string master_addr;
  std::optional<std::uint32_t> master_port;
  std::string rank_logs;
  bool help = false;
  bool version = false;
  std::vector<std::string> notices;  // each once
};

}  // namespace muster::front
