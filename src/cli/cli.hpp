// The commands of muster: arguments in, exit code out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "head/head.hpp"

namespace muster::cli {

// What carries out the runs that are decided here, and what asks hosts for their hardware. Tests
// have some that start nothing.
struct Heads {
  std::function<base::Result<model::RunReport>(head::HeadOptions)> run = head::run_head;
  std::function<head::Survey(head::HeadOptions)> survey = head::survey;
};

struct Invocation {
  std::vector<std::string> words;        // argv, with argv[0]
  std::vector<std::string> environment;  // "NAME=VALUE"
  // Names of what muster gave to the rank in which it is called; sorted. Of these, only what speaks
  // to launchers is left in `environment`.
  std::vector<std::string> given = {};
  bool is_step = false;      // of a pipeline, which says itself what it ends, and why
  int announce = -1;         // a pipe to a foreground process that waits until a step's ranks run
  int parent = -1;           // a pipe to the foreground process, when this one continues detached
  head::Holder holder = {};  // of hosts that were given for this run alone
  // Of all heads of a launch, which come one after the other; may be null.
  head::KeptLinks* links = nullptr;
  Heads heads = {};
  // What to tell where something is run: variables of other runs were ignored.
  std::vector<std::string> left = {};
};

// With the environment as it was found.
[[nodiscard]] int main(Invocation invocation);

}  // namespace muster::cli
