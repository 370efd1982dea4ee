// Writes the command of a parallel job.
#include "job/mini_batches.hpp"

#include <fmt/format.h>
#include <string>

namespace muster::job {
namespace {

// The program comes as a variable: it is long, and would hide the command in every list of
// processes.
constexpr std::string_view kProgramVariable = "MUSTER_MINI_BATCHES";

void add_option(std::string& command, std::string_view name, const std::optional<Text>& value) {
  if (value) command += fmt::format(" {} '{}'", name, value->text);
}

std::string command_of(const Parallel& parallel) {
  std::string command =
      fmt::format("exec python3 -c 'import os; exec(os.environ.pop(\"{}\"))'", kProgramVariable);
  add_option(command, "--entry-script", parallel.script);
  add_option(command, "--input", parallel.data);
  add_option(command, "--mini-batch-size", parallel.batch_size);
  add_option(command, "--max-retries", parallel.retries);
  add_option(command, "--timeout", parallel.batch_timeout);
  add_option(command, "--error-threshold", parallel.items_may_fail);
  add_option(command, "--mini-batch-error-threshold", parallel.batches_may_fail);
  add_option(command, "--append-row-to", parallel.append_to);
  return command + " -- " + (parallel.arguments ? parallel.arguments->text : "");
}

}  // namespace

void write_out_parallel(JobFile& job) {
  const Parallel& parallel = *job.parallel;
  const Mark mark = parallel.script ? parallel.script->begin : Mark{};
  job.command = Text{command_of(parallel), mark, mark, true};
  if (parallel.code) job.code = parallel.code;
  if (parallel.per_node) job.per_node = parallel.per_node;
  job.frameworks = {{Framework::pytorch, mark}};
  const Text program{std::string(kMiniBatches), mark, mark, true};
  job.variables.push_back({std::string(kProgramVariable), mark, program});
}

}  // namespace muster::job
