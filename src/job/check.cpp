// Looks for contradictions in a job file.
#include "job/check.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/nearest.hpp"
#include "job/environment_rule.hpp"
#include "job/expression.hpp"
#include "job/input_type.hpp"
#include "job/number.hpp"
#include "job/output_names.hpp"
#include "job/source.hpp"
#include "job/values.hpp"
#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

using spec::in_quotes;

std::string_view word(Framework framework) {
  switch (framework) {
    case Framework::mpi:
      return "mpi";
    case Framework::pytorch:
      return "pytorch";
    case Framework::tensorflow:
      return "tensorflow";
  }
  return "";
}

// ---- how the job is spread ----

// A count that only jobs of one kind have.
struct Owned {
  const std::optional<Count>& count;
  std::string_view key;
  Framework owner;
  std::string_view instead;
};

// A step may change the counts of its component, if that has any.
void check_kind_of_counts(const JobFile& job, Complaints& complaints) {
  for (const auto& count : {job.per_node, job.workers.count, job.servers.count}) {
    if (!count || job.dialect != Dialect::command) continue;
    complaints.add(count->begin, "the distribution has a count and no type",
                   "add type: mpi, pytorch or tensorflow");
  }
}

void check_owners(const JobFile& job, Complaints& complaints) {
  if (job.frameworks.empty()) return check_kind_of_counts(job, complaints);
  const Framework framework = job.frameworks.front().framework;
  const bool native = job.dialect == Dialect::native;
  const Owned owned[] = {
      {job.workers.count, "worker_count", Framework::tensorflow, "its nodes"},
      {job.servers.count, "parameter_server_count", Framework::tensorflow, "none"},
      {job.processes, "process_count", Framework::pytorch, "process_count_per_node"},
  };
  for (const Owned& one : owned) {
    if (!one.count || one.owner == framework) continue;
    complaints.add(one.count->begin,
                   fmt::format("{} is for type {}, and this job is of type {}", one.key,
                               word(one.owner), word(framework)),
                   "remove the count, or change the type");
  }
  const bool per_node_allowed =
      framework == Framework::mpi || (!native && framework == Framework::pytorch);
  if (job.per_node && !per_node_allowed) {
    const char* instead = framework == Framework::tensorflow
                              ? "give worker_count and parameter_server_count"
                              : "give process_count, the number of all processes";
    complaints.add(
        job.per_node->begin,
        fmt::format("a job of type {} has no count of processes per node", word(framework)),
        instead);
  }
}

void check_frameworks(const JobFile& job, Complaints& complaints) {
  for (std::size_t i = 1; i < job.frameworks.size(); ++i) {
    complaints.add(
        job.frameworks[i].mark,
        fmt::format("a job has one kind, and this one is already {} (line {})",
                    word(job.frameworks.front().framework), job.frameworks.front().mark.line),
        "keep one of them");
  }
  const bool draft_without = job.dialect == Dialect::draft && job.frameworks.empty();
  if (draft_without && job.instances && job.instances->number > 1) {
    complaints.add(job.instances->begin,
                   fmt::format("{} instances, but nothing says how the job is spread over them",
                               job.instances->number),
                   "add distributed: with mpi, pytorch or tensorflow");
  }
}

void check_counts(const JobFile& job, Complaints& complaints) {
  const std::uint32_t nodes = job.nodes ? job.nodes->number : 1;
  if (job.processes && job.processes->number % nodes != 0) {
    complaints.add(
        job.processes->begin,
        fmt::format("{} processes cannot be divided evenly among {} nodes", job.processes->number,
                    nodes),
        fmt::format("process_count is the number of all processes: a multiple of {}", nodes));
  }
  if (!job.instances) return;
  const std::uint32_t roles = (job.workers.count ? job.workers.count->number : 0) +
                              (job.servers.count ? job.servers.count->number : 0);
  const std::uint32_t asked = job.nodes ? job.nodes->number : roles;
  const bool shares = !job.nodes && job.instances->number < roles;  // processes share nodes
  if (asked == 0 || asked == job.instances->number || shares) return;
  complaints.add(job.instances->begin,
                 fmt::format("instance_count is {}, and the counts below distributed make {}",
                             job.instances->number, asked),
                 "remove instance_count, or make them agree");
}

void check_roles(const JobFile& job, Complaints& complaints) {
  if (!job.workers.count || job.workers.count->number > 0) return;
  complaints.add(job.workers.count->begin, "a TensorFlow job needs at least one worker", "");
}

// ---- inputs and outputs ----

void check_default(const Input& input, InputType type, Complaints& complaints) {
  if (!input.value || input.bound) return;
  if (auto wrong = misfit(input, type, input.value->text)) {
    complaints.add(input.value->begin, fmt::format("inputs.{} {}", input.name, wrong->what),
                   std::move(wrong->hint));
  }
}

void check_bounds(const Input& input, InputType type, Complaints& complaints) {
  const bool counts = type == InputType::integer || type == InputType::number;
  for (const auto& bound : {input.least, input.most}) {
    if (!bound || counts) continue;
    complaints.add(bound->begin,
                   fmt::format("inputs.{} is not a number: it cannot have min or max", input.name),
                   "give it type: number or integer");
  }
  if (!input.least || !input.most) return;
  if (number_of(input.least->text).value_or(0) <= number_of(input.most->text).value_or(0)) return;
  complaints.add(input.least->begin, fmt::format("inputs.{}: min is above max", input.name), "");
}

// An output's name becomes that of a folder, too.
void check_name(const std::string& name, Mark mark, Complaints& complaints) {
  if (is_name(name)) return;
  complaints.add(mark, fmt::format("{} is not a name for an input or output", in_quotes(name)),
                 "a name has only letters, digits, _ and -");
}

void check_input(const Input& input, Dialect dialect, Complaints& complaints) {
  if (!input.swept) check_name(input.name, input.mark, complaints);
  const auto type = type_of(input, dialect);
  if (!type) return check_type("inputs." + input.name, input.type, dialect, complaints);
  if (*type == InputType::choice && input.choices.empty()) {
    complaints.add(input.mark, fmt::format("inputs.{} is an enum without values", input.name),
                   "add enum: [A, B]");
  }
  check_bounds(input, *type, complaints);
  check_default(input, *type, complaints);
}

void check_output(const Output& output, Dialect dialect, Complaints& complaints) {
  check_name(output.name, output.mark, complaints);
  check_type("outputs." + output.name, output.type, dialect, complaints);
}

// ---- expressions ----

class Expressions {
 public:
  Expressions(const JobFile& job, std::string_view source, Complaints& complaints)
      : job_(job), source_(source), complaints_(complaints) {
    for (const Input& input : job.inputs) inputs_[input.name] = &input;
    for (const Output& output : job.outputs) outputs_[output.name] = nullptr;
  }

  void check(const Text& text) {
    bool in_group = false;
    for (const Piece& piece : pieces_of(text.text, job_.dialect)) {
      if (complaints_.full()) return;  // finding their places takes a while
      if (piece.kind == Piece::Kind::open) in_group = true;
      if (piece.kind == Piece::Kind::close) in_group = false;
      if (piece.kind == Piece::Kind::wrong) wrong(text, piece);
      if (piece.kind == Piece::Kind::input && known(text, piece, inputs_, "input") && !in_group) {
        check_optional(text, piece);
      }
      if (piece.kind == Piece::Kind::output) known(text, piece, outputs_, "output");
    }
  }

 private:
  using Names = std::map<std::string, const Input*, std::less<>>;

  // Nobody mistypes one of thousands of names, and comparing with all of them takes a while.
  static std::string hint(const std::string& typed, const Names& names, std::string otherwise) {
    constexpr std::size_t kMost = 1000;
    if (names.size() > kMost) return otherwise;
    std::vector<std::string> all;
    all.reserve(names.size());
    for (const auto& [name, input] : names) all.push_back(name);
    return base::did_you_mean(typed, all, std::move(otherwise));
  }

  void add(const Text& text, const Piece& piece, std::string what, std::string hint) {
    complaints_.add(mark_of_part(source_, text, piece.raw), std::move(what), std::move(hint));
  }

  void wrong(const Text& text, const Piece& piece) {
    add(text, piece, fmt::format("{} means nothing here: {}", in_quotes(piece.raw), piece.text),
        "");
  }

  bool known(const Text& text, const Piece& piece, const Names& names, std::string_view what) {
    if (names.contains(piece.text)) return true;
    if (piece.text.starts_with(kSearchSpace)) {
      no_parameter(text, piece);
      return false;
    }
    add(text, piece, fmt::format("there is no {} {}", what, in_quotes(piece.text)),
        hint(piece.text, names, fmt::format("declare it below {}s:", what)));
    return false;
  }

  void no_parameter(const Text& text, const Piece& piece) {
    if (!job_.sweep) {
      return add(text, piece,
                 fmt::format("{} means nothing here: search_space belongs to sweeps, and this is a "
                             "single job",
                             in_quotes(piece.raw)),
                 "");
    }
    const std::vector<std::string> names = sweep::names(job_.sweep->settings.space);
    const std::string name = piece.text.substr(kSearchSpace.size());
    add(text, piece, fmt::format("the search space has no {}", in_quotes(name)),
        base::did_you_mean(name, names, "declare it below search_space:"));
  }

  void check_optional(const Text& text, const Piece& piece) {
    const Input& input = *inputs_.find(piece.text)->second;
    if (!input.optional || input.value) return;
    add(text, piece,
        fmt::format("the input {} is optional, and may have no value here", in_quotes(piece.text)),
        fmt::format("leave it out with $[[ {} ]], or give it a default", piece.raw));
  }

  const JobFile& job_;
  std::string_view source_;
  Complaints& complaints_;
  Names inputs_;
  Names outputs_;
};

void check_expressions(const JobFile& job, std::string_view source, Complaints& complaints) {
  Expressions expressions(job, source, complaints);
  if (job.command) expressions.check(*job.command);
  if (job.parallel) {
    const Parallel& parallel = *job.parallel;
    for (const auto* text : {&parallel.data, &parallel.arguments, &parallel.append_to}) {
      if (*text) expressions.check(**text);
    }
  }
  for (const Text& word : job.words) expressions.check(word);
  for (const auto* variables : {&job.variables, &job.workers.variables, &job.servers.variables}) {
    for (const Named& variable : *variables) expressions.check(variable.value);
  }
}

// Where a value is taken as it stands, an expression is a mistake.
void check_plain(const Text& text, const std::string& path, Complaints& complaints) {
  if (text.text.find("${{") == std::string::npos) return;
  complaints.add(text.begin, path + " cannot hold an expression",
                 "they are replaced in the command and in environment_variables");
}

void check_output_path(const Output& output, Complaints& complaints) {
  const Text& path = *output.path;
  const std::string other = other_expression(path.text);
  if (other.empty()) return;
  complaints.add(
      path.begin, fmt::format("outputs.{} cannot hold {}", output.name, other),
      base::did_you_mean(other, std::vector<std::string>{"${{name}}", "${{default_datastore}}"},
                         "a path may hold ${{name}} and ${{default_datastore}}"));
}

void check_plain_values(const JobFile& job, Complaints& complaints) {
  if (job.code) check_plain(*job.code, "code", complaints);
  for (const Input& input : job.inputs) {
    const bool is_here = input.value && !is_in_azure(input.value->text);
    if (is_here && !input.bound) check_plain(*input.value, "inputs." + input.name, complaints);
  }
  for (const Output& output : job.outputs) {
    if (says_path(output) && !output.bound) check_output_path(output, complaints);
  }
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\n") == std::string_view::npos;
}

void check_command(const JobFile& job, Complaints& complaints) {
  if (job.dialect == Dialect::component && !job.command) {
    complaints.add({}, "the component has nothing to run",
                   "command: COMMAND, or launcher: {type: mpi, additional_arguments: COMMAND}");
  }
  if (job.command && is_blank(job.command->text)) {
    complaints.add(job.command->begin, "the command is empty", "");
  }
  if (!job.words.empty() && job.words.front().text.empty()) {
    complaints.add(job.words.front().begin, "the program is an empty word", "");
  }
}

void check_variables(const JobFile& job, Complaints& complaints) {
  for (const auto* variables : {&job.variables, &job.workers.variables, &job.servers.variables}) {
    for (const Named& variable : *variables) {
      const bool fine = !variable.name.empty() && variable.name.find('=') == std::string::npos &&
                        variable.name.find('\0') == std::string::npos;
      if (fine) continue;
      complaints.add(variable.mark, in_quotes(variable.name) + " is not a variable name", "");
    }
  }
}

}  // namespace

void check(const JobFile& job, std::string_view source, Complaints& complaints) {
  check_frameworks(job, complaints);
  check_owners(job, complaints);
  check_counts(job, complaints);
  check_roles(job, complaints);
  for (const Input& input : job.inputs) check_input(input, job.dialect, complaints);
  for (const Output& output : job.outputs) check_output(output, job.dialect, complaints);
  check_command(job, complaints);
  check_variables(job, complaints);
  check_environment_rule(job, complaints);
  check_expressions(job, source, complaints);
  check_plain_values(job, complaints);
}

}  // namespace muster::job
