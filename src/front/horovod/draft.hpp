// HorovodDraft: what a line of horovodrun, and its config file, have asked for so far.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "front/front.hpp"
#include "front/hosts.hpp"
#include "front/output_styles.hpp"

namespace muster::front {

enum class HorovodController : std::uint8_t { automatic, gloo, mpi };

struct HorovodDraft {
  const Call* call = nullptr;
  RunRequest request;
  NamedHosts hosts;
  std::vector<std::string> interfaces;
  std::optional<std::uint32_t> least = {};  // --min-np
  std::optional<std::uint32_t> most = {};   // --max-np
  HorovodController controller = HorovodController::automatic;
  bool tcp_only = false;
  std::vector<std::string> mpi_words;  // --mpi-args and --binding-args
  std::string config_file;
  std::map<std::string_view, std::string> knobs;  // variables of Horovod, by name
  HorovodOutput output;
  struct Chosen {
    std::string_view names;  // of the option
    std::string typed;
  };
  std::map<std::string_view, Chosen> chosen;  // of options that exclude one another, by their group
  bool help = false;
  bool version = false;
  std::vector<std::string> notices;  // each once
};

}  // namespace muster::front
