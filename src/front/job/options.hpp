// The options of the commands that take a job file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "front/hosts.hpp"
#include "front/output_styles.hpp"
#include "front/table.hpp"
#include "job/layout.hpp"
#include "job/values.hpp"
#include "model/record.hpp"

namespace muster::front {

// What is said of a job beside its file.
struct JobDraft {
  std::vector<job::Setting> settings;
  std::vector<model::Tag> tags;
  std::string target;
  NamedHosts hosts;
  std::uint32_t fake_nodes = 0;
  job::Counts counts;
  std::vector<std::string> without;
  MusterOutput output;
  std::string experiment;
  std::uint32_t at_once = 0;         // steps of a pipeline; 0: as many as the slots hold
  std::uint32_t retries = 0;         // of each step of a pipeline
  std::vector<std::string> skipped;  // steps of a pipeline
  std::vector<std::string> secrets;
  bool no_snapshot = false;
  std::optional<std::uint64_t> snapshot_limit;
  bool detach = false;
  bool verbose = false;
  bool json = false;
  bool help = false;
};

[[nodiscard]] std::span<const Option<JobDraft>> submit_table();
[[nodiscard]] std::span<const Option<JobDraft>> explain_table();
[[nodiscard]] std::span<const Option<JobDraft>> validate_table();
[[nodiscard]] std::span<const Option<JobDraft>> schema_table();

}  // namespace muster::front
