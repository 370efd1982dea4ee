// Writes the command of a parallel job.
#include "job/mini_batches.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "base/shell_word.hpp"
#include "job/complaints.hpp"
#include "job/expression.hpp"
#include "job/input_type.hpp"
#include "job/mini_batch_tables.hpp"

namespace muster::job {
namespace {

// What expressions stand for is not known yet, and may hold any character: it comes as a variable,
// which the shell does not look into.
class Command {
 public:
  explicit Command(JobFile& job)
      : job_(job),
        text_(fmt::format("exec python3 -c 'import os; exec(os.environ.pop(\"{}\"))'",
                          kMiniBatchesProgram)) {}

  void add(const std::string& name, const std::optional<Text>& value) {
    if (!value) return;
    text_ += " --" + name;
    if (value->text.find("${{") == std::string::npos) {
      text_ += " " + base::shell_word(value->text);
      return;
    }
    std::string variable = std::string(kMiniBatchesProgram) + "_";
    for (const char c : name) variable += c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
    text_ += fmt::format(" \"${}\"", variable);
    job_.variables.push_back({std::move(variable), value->begin, *value});
  }

  void add_flag(const std::string& name) { text_ += " --" + name; }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  JobFile& job_;
  std::string text_;
};

// Its data is what an MLTable file names, not that file.
bool is_cut_table(const Parallel& parallel, const JobFile& job) {
  if (!parallel.data) return false;
  const std::vector<Piece> pieces = pieces_of(parallel.data->text, job.dialect);
  return std::ranges::any_of(pieces, [&](const Piece& piece) {
    const auto input = std::ranges::find(job.inputs, piece.text, &Input::name);
    return piece.kind == Piece::Kind::input && input != job.inputs.end() && is_table(input->type);
  });
}

std::string command_of(const Parallel& parallel, JobFile& job) {
  Command command(job);
  command.add("entry-script", parallel.script);
  command.add("input", parallel.data);
  if (is_cut_table(parallel, job)) command.add_flag("mltable");
  command.add("mini-batch-size", parallel.batch_size);
  for (const Text& key : parallel.partition_keys) command.add("partition-key", key);
  command.add("max-retries", parallel.retries);
  command.add("timeout", parallel.batch_timeout);
  command.add("error-threshold", parallel.items_may_fail);
  command.add("mini-batch-error-threshold", parallel.batches_may_fail);
  command.add("append-row-to", parallel.append_to);
  return command.text() + " -- " + (parallel.arguments ? parallel.arguments->text : "");
}

}  // namespace

void write_out_parallel(JobFile& job, Complaints& complaints) {
  const Parallel& parallel = *job.parallel;
  if (!parallel.partition_keys.empty() && !is_cut_table(parallel, job)) {
    complaints.add(parallel.partition_keys.front().begin,
                   "partition_keys needs rows, and the data of this step is files",
                   "give it an input of type mltable, or use mini_batch_size");
  }
  const Mark mark = parallel.script ? parallel.script->begin : Mark{};
  job.command = Text{command_of(parallel, job), mark, mark, true};
  if (parallel.code) job.code = parallel.code;
  if (parallel.per_node) job.per_node = parallel.per_node;
  job.frameworks = {{Framework::pytorch, mark}};
  const Text program{std::string(kMiniBatchTables).append(kMiniBatches), mark, mark, true};
  job.variables.push_back({std::string(kMiniBatchesProgram), mark, program});
}

}  // namespace muster::job
