// BatchPlace: what muster.yml says of a target that is a batch system, such as Slurm. Plain values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "job/job_file.hpp"
#include "job/text.hpp"

namespace muster::job {

struct BatchPlace {
  std::string kind;  // "slurm"
  Mark mark;
  std::vector<Named> options;   // keys that muster knows, in its own spelling
  std::vector<Named> raw;       // options of the system that it passes on unread
  std::vector<Text> setup;      // lines of shell before muster is called
  std::optional<Text> program;  // muster on the nodes; none: the path of the one that submits
  std::optional<Count> nodes;   // none: as many as the job, or the largest step, asks for
};

}  // namespace muster::job
