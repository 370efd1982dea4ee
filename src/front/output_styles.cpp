// Patterns and routes of each launcher.
#include "front/output_styles.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/words.hpp"
#include "front/lists.hpp"
#include "spec/in_quotes.hpp"
#include "spec/number.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using model::Field;
using model::OutputSpec;
using model::Pattern;
using model::Piece;
using model::Width;

Piece text(std::string words) { return {Field::text, std::move(words)}; }
Piece rank(Width width = Width::own) { return {Field::rank, {}, width}; }

void append(Pattern& pattern, std::initializer_list<Piece> pieces) {
  pattern.insert(pattern.end(), pieces);
}

void shown_nowhere(OutputSpec& output) {
  output.routes.out.console = false;
  output.routes.err.console = false;
}

}  // namespace

// ---- muster -------------------------------------------------------------------------------------

OutputSpec muster_output(const MusterOutput& asked) {
  OutputSpec output;
  output.merge = asked.merge;
  if (!asked.shown.empty()) shown_nowhere(output);
  for (const std::uint32_t one : asked.shown) output.chosen[one] = {};
  if (asked.timestamp) append(output.prefix, {{Field::utc}, text(" ")});
  if (asked.tag) {
    append(output.prefix, {text("["), {Field::spawned, ":"}, rank(Width::largest), text("] ")});
  }
  if (asked.logs.empty()) return output;
  const Pattern folder = {
      text(asked.logs + "/"), {Field::spawned, "/"}, text("rank."), rank(Width::largest)};
  output.out_file = output.err_file = folder;
  output.out_file.push_back(text("/stdout"));
  output.err_file.push_back(text(asked.merge ? "/stdout" : "/stderr"));
  if (asked.logs_only) shown_nowhere(output);
  return output;
}

// ---- Open MPI -----------------------------------------------------------------------------------

namespace {

// 4.1: orte/mca/iof/base/iof_base_output.c
Pattern open_mpi_4_prefix(const OpenMpiOutput& asked) {
  Pattern prefix;
  if (asked.timestamp) append(prefix, {{Field::local_time}});
  if (asked.tag != OpenMpiOutput::Tag::none) {
    append(prefix, {text("["), {Field::world}, text(","), rank(), text("]")});
  }
  if (!prefix.empty()) append(prefix, {text("<"), {Field::stream}, text(">:")});
  return prefix;
}

// 5: openpmix src/common/pmix_iof.c
Pattern open_mpi_5_prefix(const OpenMpiOutput& asked) {
  using Tag = OpenMpiOutput::Tag;
  Pattern prefix;
  if (asked.timestamp) append(prefix, {text("["), {Field::local_time}, text("]")});
  if (asked.tag == Tag::rank) append(prefix, {text("["), rank(), text("]")});
  if (asked.tag == Tag::job_and_rank || asked.tag == Tag::with_host) {
    append(prefix, {text("["), {Field::world}, text(","), rank(), text("]")});
  }
  if (asked.tag == Tag::with_host) append(prefix, {text("["), {Field::host}, text("]")});
  if (!prefix.empty()) append(prefix, {text("<"), {Field::stream}, text(">: ")});
  return prefix;
}

void name_open_mpi_files(OutputSpec& output, const OpenMpiOutput& asked) {
  Pattern name = {text(asked.folder.empty() ? asked.file : asked.folder)};
  std::string out = "/stdout";
  std::string err = "/stderr";
  if (!asked.folder.empty()) {
    if (asked.job_folder) append(name, {text("/"), {Field::world}});
    append(name, {text("/rank."), rank(Width::size)});
  } else {
    if (!asked.pattern) append(name, {text("."), {Field::world}, text("."), rank(Width::size)});
    out = ".out";
    err = ".err";
  }
  output.out_file = output.err_file = std::move(name);
  output.out_file.push_back(text(out));
  output.err_file.push_back(text(asked.merge || asked.merge_files ? out : err));
}

}  // namespace

OutputSpec open_mpi_output(const OpenMpiOutput& asked) {
  OutputSpec output;
  output.prefix = asked.of_five ? open_mpi_5_prefix(asked) : open_mpi_4_prefix(asked);
  output.xml = asked.xml;
  output.merge = asked.merge;
  if (asked.folder.empty() && asked.file.empty()) return output;
  output.prefix_in_files = true;
  name_open_mpi_files(output, asked);
  if (!asked.copy) shown_nowhere(output);
  return output;
}

// ---- Hydra --------------------------------------------------------------------------------------

namespace {

// mpich src/pm/hydra/mpiexec/uiu.c; %t is a time there that is never taken.
std::optional<Piece> hydra_piece(char letter) {
  switch (letter) {
    case 'r':
      return rank();
    case 'h':
      return Piece{Field::host};
    case 'g':
      return Piece{Field::group};
    case 'p':
      return Piece{Field::node};
    case 't':
      return text("0");
    case '%':
      return text("%");
    default:
      return std::nullopt;
  }
}

Result<Pattern> read_hydra_pattern(std::string_view option, std::string_view words) {
  Pattern pattern;
  while (!words.empty()) {
    const std::size_t percent = std::min(words.find('%'), words.size());
    if (percent > 0) pattern.push_back(text(std::string(words.substr(0, percent))));
    words.remove_prefix(percent);
    if (words.empty()) break;
    const auto piece = words.size() > 1 ? hydra_piece(words[1]) : std::nullopt;
    if (!piece) {
      return fail(Fault::usage, "%% stands for a single %",
                  "{}: after % comes r (rank), h (host), g (group), p (proxy) or t, not {}", option,
                  spec::in_quotes(words.substr(1, 1)));
    }
    pattern.push_back(*piece);
    words.remove_prefix(2);
  }
  return pattern;
}

Result<void> set_pattern(Pattern& to, std::string_view option, std::string_view words) {
  return read_hydra_pattern(option, words).map([&](Pattern pattern) { to = std::move(pattern); });
}

}  // namespace

Result<OutputSpec> hydra_output(const HydraOutput& asked) {
  OutputSpec output;
  output.prefix_in_files = true;
  if (asked.prepend_rank) output.prefix = {text("["), rank(), text("] ")};
  const auto read =
      set_pattern(output.out_file, "-outfile-pattern", asked.outfile)
          .and_then([&] { return set_pattern(output.err_file, "-errfile-pattern", asked.errfile); })
          .and_then([&]() -> Result<void> {
            if (!asked.prepend_pattern) return {};
            return set_pattern(output.prefix, "-prepend-pattern", *asked.prepend_pattern);
          });
  if (!read) return tl::unexpected(read.error());
  output.routes.out.console = asked.outfile.empty();
  output.routes.err.console = asked.errfile.empty();
  if (asked.from) {
    output.chosen[asked.from->value] = output.routes;
    const model::Route nowhere{.console = false, .prefix = false, .file = false};
    output.routes = {nowhere, nowhere};
  }
  return output;
}

// ---- torchrun -----------------------------------------------------------------------------------

namespace {

constexpr std::uint32_t kStdout = 1;
constexpr std::uint32_t kStderr = 2;

std::uint32_t of(const TorchStreams& streams, std::uint32_t local_rank) {
  const auto found = streams.chosen.find(local_rank);
  return found == streams.chosen.end() ? streams.others : found->second;
}

struct TorchMacro {
  std::string_view name;
  Field field;
};
constexpr TorchMacro kTorchMacros[] = {
    {"role_name", Field::role}, {"local_rank", Field::local_rank}, {"rank", Field::rank}};

// The name behind a '$': of letters, digits and '_', at most.
std::string_view macro_name(std::string_view words) {
  const auto is_word = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const auto end = std::ranges::find_if_not(words, is_word);
  return words.substr(0, static_cast<std::size_t>(end - words.begin()));
}

// `words` begin with '$'. Takes a macro or "$$" off them; else a '$' that means nothing.
Piece take_torch_macro(std::string_view& words) {
  const bool braced = words.substr(1).starts_with('{');
  const std::size_t begin = braced ? 2 : 1;
  const std::string_view name = macro_name(words.substr(begin));
  const bool closed = !braced || words.substr(begin + name.size()).starts_with('}');
  const auto* known = std::ranges::find(kTorchMacros, name, &TorchMacro::name);
  if (closed && known != std::end(kTorchMacros)) {
    words.remove_prefix(begin + name.size() + (braced ? 1 : 0));
    return {known->field};
  }
  words.remove_prefix(words.starts_with("$$") ? 2 : 1);
  return text("$");
}

// safe_substitute() of Python's string.Template: what it does not know stays as it is.
Pattern read_torch_template(std::string_view words) {
  Pattern pattern;
  while (!words.empty()) {
    const std::size_t dollar = std::min(words.find('$'), words.size());
    if (dollar > 0) pattern.push_back(text(std::string(words.substr(0, dollar))));
    words.remove_prefix(dollar);
    if (!words.empty()) pattern.push_back(take_torch_macro(words));
  }
  return pattern;
}

Pattern torch_prefix(const TorchOutput& asked) {
  if (!asked.prefix_template.empty()) return read_torch_template(asked.prefix_template);
  Pattern prefix = {text("["), {Field::role}, {Field::local_rank}, text("]:")};
  if (asked.in_job) prefix[2] = rank();
  return prefix;
}

model::Route torch_route(std::uint32_t redirects, std::uint32_t tee, std::uint32_t stream,
                         bool shown) {
  const bool teed = (tee & stream) != 0;
  const bool kept = teed || (redirects & stream) != 0;
  return {.console = shown && (teed || !kept), .prefix = teed, .file = kept};
}

}  // namespace

Result<TorchStreams> read_torch_streams(std::string_view option, std::string_view words) {
  const auto refuse = [&] {
    return fail(Fault::usage, "0 is none, 1 stdout, 2 stderr, 3 both",
                "{} takes 0 to 3, or a list by local rank such as 0:3,1:1, not {}", option,
                spec::in_quotes(words));
  };
  const auto number = [](std::string_view one, std::uint32_t most) {
    return spec::read_number("", one, {0, most}, Fault::usage);
  };
  TorchStreams streams;
  if (const auto all = number(words, 3)) {
    streams.others = *all;
    return streams;
  }
  if (has_gap(words)) return refuse();
  for (const std::string& pair : base::split(words, ",")) {
    const std::size_t colon = std::min(pair.find(':'), pair.size());
    const auto local = number(std::string_view(pair).substr(0, colon), 1'000'000);
    const auto value = number(std::string_view(pair).substr(std::min(colon + 1, pair.size())), 3);
    if (!local || !value) return refuse();
    streams.chosen[*local] = *value;
  }
  if (streams.chosen.empty()) return refuse();
  return streams;
}

OutputSpec torchrun_output(const TorchOutput& asked) {
  OutputSpec output;
  output.by_local_rank = true;
  const auto routes = [&](std::uint32_t redirects, std::uint32_t tee, bool shown) {
    return model::Routes{torch_route(redirects, tee, kStdout, shown),
                         torch_route(redirects, tee, kStderr, shown)};
  };
  const auto& filter = asked.local_ranks_filter;
  output.routes = routes(asked.redirects.others, asked.tee.others, filter.empty());
  std::set<std::uint32_t> named = filter;
  for (const auto& one : asked.redirects.chosen) named.insert(one.first);
  for (const auto& one : asked.tee.chosen) named.insert(one.first);
  for (const std::uint32_t local : named) {
    const bool shown = filter.empty() || filter.contains(local);
    output.chosen[local] = routes(of(asked.redirects, local), of(asked.tee, local), shown);
  }
  output.prefix = torch_prefix(asked);
  if (asked.folder.empty()) return output;
  output.out_file = {
      text(asked.folder), {Field::other_node, "_"}, text("/attempt_"), {Field::attempt},
      text("/"),          {Field::local_rank},      text("/")};
  append(output.out_file, {{Field::stream}, text(".log")});
  output.err_file = output.out_file;
  return output;
}

// ---- horovodrun ---------------------------------------------------------------------------------

// horovod/runner/common/util/safe_shell_exec.py and gloo_run.py
OutputSpec horovod_output(const HorovodOutput& asked) {
  if (asked.as_mpi) {
    return open_mpi_output({.tag = OpenMpiOutput::Tag::job_and_rank,
                            .timestamp = asked.timestamp,
                            .folder = asked.folder});
  }
  OutputSpec output;
  output.prefix_in_files = true;
  if (asked.timestamp) append(output.prefix, {{Field::local_time}});
  append(output.prefix, {text("["), rank(), text("]<"), {Field::stream}, text(">:")});
  if (asked.folder.empty()) return output;
  output.out_file = {
      text(asked.folder + "/rank."), rank(Width::largest), text("/"), {Field::stream}};
  output.err_file = output.out_file;
  return output;
}

}  // namespace muster::front
