// CommandLine: muster's own words in, what it prints and asks of heads out, within this process.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/cli.hpp"

namespace muster::cli {

struct Answer {
  int code = -1;
  std::string out;
  std::string err;
  std::vector<head::HeadOptions> runs = {};  // what heads were asked for, in order
  std::vector<head::HeadOptions> surveys = {};
};

// Everything between the words and the head is real: files are read, this machine is asked for its
// processors, records are written. No process is started.
class CommandLine {
 public:
  std::vector<std::string> environment = {"PATH=/usr/bin:/bin"};
  // Plays a head's part; without it each run completes and no host tells anything.
  std::function<base::Result<model::RunReport>(head::HeadOptions& options)> run = {};
  std::function<head::Survey(head::HeadOptions& options)> survey = {};

  // The words after "muster".
  [[nodiscard]] Answer operator()(std::vector<std::string> words) const;
};

}  // namespace muster::cli
