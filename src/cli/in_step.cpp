// Task 0 begins, and the others follow it to its end.
#include "cli/in_step.hpp"

#include <chrono>
#include <string>

#include "cli/speak.hpp"
#include "head/step_tasks.hpp"
#include "probe/resolve.hpp"
#include "process/converse.hpp"

namespace muster::cli {
namespace {

int lead(const model::StepPlace& place, const StepPart& part) {
  auto others = head::OtherTasks::await(place);
  if (!others) return complain(others.error());
  const int code = part.first();
  others->end(code);
  return code;
}

// Slurm needs no name service. "NodeAddr", of sinfo(1).
std::string address_of(const std::string& host, const Invocation& invocation) {
  if (probe::resolve(host)) return host;
  constexpr auto kPatience = std::chrono::seconds(30);
  const auto told = process::converse({.words = {"sinfo", "-hN", "-n", host, "-o", "%o"},
                                       .environment = invocation.environment,
                                       .limit = base::Duration(kPatience)});
  if (!told || !told->ended_well()) return host;
  const std::string address = told->out.substr(0, told->out.find_first_of(" \n"));
  return address.empty() ? host : address;
}

int follow(model::StepPlace place, const StepPart& part, const Invocation& invocation) {
  place.first_host = address_of(place.first_host, invocation);
  const auto tell = [](const std::string& line) { note(line); };
  const auto code = head::follow_first_task(
      place, {.patience = part.patience, .drains_input = part.reads_input, .say = tell});
  return code ? *code : part.alone(code.error());
}

}  // namespace

int in_step(const model::StepPlace& place, const StepPart& part, const Invocation& invocation) {
  if (place.is_beside_terminal) return 0;
  return place.number == 0 ? lead(place, part) : follow(place, part, invocation);
}

}  // namespace muster::cli
