// What the launcher in the command of a job would ask for: its arguments, parsed as inside the job.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "front/front.hpp"
#include "front/request.hpp"

namespace muster::front {

// A launcher of which nothing can be told before the command runs.
struct Unforeseen {
  std::string launcher;
  std::string why;
  std::string where = "the command";  // or a script
};

struct InnerReading {
  // Null when the command calls no launcher, or when only a shell can expand its arguments.
  std::shared_ptr<const RunRequest> request;
  // Of a launcher that the command is sure to call, as the launcher itself would say it: it would
  // start nothing. Nothing also where another launcher of that name is meant, by a path.
  std::optional<base::Error> mistake;
  // Of that launcher: its word in the command, and how often it stands there before.
  std::string mistaken = {};
  std::size_t before = 0;
  std::vector<Unforeseen> unforeseen = {};
};

// Which counts of the job are those that its launchers will find; others are not compared.
struct CountsKnown {
  bool nodes = true;
  bool slots = true;   // of the job's hosts
  bool others = true;  // of those that the launcher's own words name
  bool cores = false;  // of this machine, on which the command runs
};

// `spec`: of the job, with the hosts that it leaves to its command. Launchers that run on each node
// and join each other are read as one for all.
[[nodiscard]] InnerReading inner_request(const Call& call, const model::JobSpec& spec,
                                         CountsKnown known = {});

// A launcher that commands in the text of a script call: the first one that would start nothing, or
// else the first. What it starts is not known: only a shell can follow a script.
struct ScriptLauncher {
  std::string name;  // as it is spoken of; empty: none is called
  std::string why;   // nothing can be told of it; also of a mistake that it may not come to
  // Of one that the script is sure to call, with its place in that text.
  std::optional<base::Error> mistake = {};
};
[[nodiscard]] ScriptLauncher launcher_in(const Call& call, const model::JobSpec& spec,
                                         std::string_view script);

// What a launcher would start that is called with these words in the job's command. Empty: they
// call no launcher, or it would start nothing.
[[nodiscard]] std::vector<model::App> apps_of_launcher(const Call& call, const model::JobSpec& spec,
                                                       std::vector<std::string> words);

}  // namespace muster::front
