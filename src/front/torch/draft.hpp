// TorchDraft: what a line of torchrun or torch.distributed.launch has asked for so far.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "front/front.hpp"
#include "front/hosts.hpp"
#include "front/output_styles.hpp"

namespace muster::front {

// How nodes find each other; static_ is "static", a word of C++.
enum class TorchBackend : std::uint8_t { static_, c10d };

struct TorchMeeting {
  TorchBackend backend = TorchBackend::static_;
  std::string endpoint = {};                // host[:port]
  std::optional<std::string> id = {};       // nothing: "none"
  std::optional<std::string> address = {};  // --master-addr
  std::optional<std::uint32_t> port = {};   // --master-port
  std::uint32_t node_rank = 0;
  std::optional<base::Duration> limit = {};  // until all have come
  std::string secret_file = {};
};

// How the script is called.
struct TorchScript {
  bool module = false;
  bool no_python = false;
  bool run_path = false;
  bool local_rank_word = false;  // --local_rank=N goes before its own arguments
};

// Where output goes; the folder is made of `log_dir` once all is known.
struct TorchLogs {
  TorchOutput output = {};
  std::string log_dir = {};
};

struct TorchDraft {
  const Call* call = nullptr;
  RunRequest request;
  std::optional<std::uint32_t> nodes;
  std::uint32_t per_node = 1;
  std::string counted = {};  // "auto", "cpu", "gpu" or "xpu": per_node is what was counted here
  bool standalone = false;
  TorchMeeting meeting;
  TorchScript script;
  TorchLogs logs;
  NamedHosts hosts;
  bool help = false;
  bool version = false;
  std::vector<std::string> notices;  // each once
};

}  // namespace muster::front
