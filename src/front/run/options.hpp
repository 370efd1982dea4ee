// The options of `muster run`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "front/hosts.hpp"
#include "front/output_styles.hpp"
#include "front/request.hpp"
#include "front/table.hpp"

namespace muster::front {

// --role NAME=N
struct RoleWish {
  std::string name;
  std::uint32_t ranks = 1;
};

// A request in the making.
struct RunDraft {
  RunRequest request;
  model::App app;               // the program that is being read
  std::vector<RoleWish> roles;  // of that program, in the order typed
  std::string current_folder;
  NamedHosts hosts;
  std::string rankfile;
  MusterOutput output;
  model::ContainerSpec container;                 // without its image, which is that of `app`
  bool slurm = false;                             // the hosts come from there
  std::optional<std::uint32_t> nodes;             // of it
  std::vector<batch::Wish::Named> slurm_options;  // by salloc's long names
  std::vector<std::string> notices;
  bool no_record = false;
  bool help = false;
};

[[nodiscard]] std::span<const Option<RunDraft>> run_table();
[[nodiscard]] OptionTexts run_options();

}  // namespace muster::front
