// The plan as a table for people.
#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <utility>

#include "base/byte_size.hpp"
#include "base/columns.hpp"
#include "base/shell_word.hpp"
#include "view/plan.hpp"
#include "view/utf8.hpp"

namespace muster::view {
namespace {

[[nodiscard]] std::string heading(std::string_view text, Style style) {
  return style.colour ? fmt::format("\x1b[1m{}\x1b[0m\n", text) : fmt::format("{}\n", text);
}

// What explains a line at its end. Where it does not fit `width` columns, it goes on below where it
// begins, or all of it stands below the line if little room is left there. 0: it all fits.
[[nodiscard]] std::string explained(std::string line, std::string_view why, std::size_t width) {
  constexpr std::size_t kLeast = 24;
  constexpr std::size_t kBelow = 6;
  if (width == 0) return line.append(why);
  const std::size_t column = base::columns_of(line);
  const bool fits = column + base::columns_of(why) <= width;
  if (fits || column + kLeast <= width) return line.append(base::folded(why, column, width));
  line.resize(line.find_last_not_of(' ') + 1);
  return line.append("\n").append(kBelow, ' ').append(base::folded(why, kBelow, width));
}

[[nodiscard]] std::string cores_of(const model::Host& host) {
  return host.cpus ? std::to_string(host.cpus->usable) : "?";
}

struct Widths {
  std::size_t rank = std::string_view("rank").size();
  std::size_t host = std::string_view("host").size();
  std::size_t cores = std::string_view("cores").size();
  std::size_t bound = 0;  // no rank is bound: no such column
};

[[nodiscard]] Widths widths(const model::Plan& plan) {
  Widths widths;
  widths.rank = std::max(widths.rank, std::to_string(plan.ranks.size()).size());
  for (const model::PlannedNode& node : plan.nodes) {
    widths.host = std::max(widths.host, one_line(node.host.name).size());
    widths.cores = std::max(widths.cores, cores_of(node.host).size());
  }
  for (const model::CpuSet& set : plan.sets) {
    widths.bound =
        std::max({widths.bound, std::string_view("bound to").size(), model::to_string(set).size()});
  }
  return widths;
}

[[nodiscard]] std::string row(const Widths& widths, std::string_view rank, std::string_view host,
                              std::string_view local_rank, std::string_view cores,
                              std::string_view bound) {
  const std::string own = widths.bound == 0 ? "" : fmt::format("{:<{}}  ", bound, widths.bound);
  return fmt::format("{:>{}}  {:<{}}  {:>10}  {:>{}}  {}", rank, widths.rank, host, widths.host,
                     local_rank, cores, widths.cores, own);
}

[[nodiscard]] std::string bound_words(const model::Plan& plan, const model::PlannedRank& rank) {
  return rank.binding == model::kUnbound ? "-" : model::to_string(plan.sets[rank.binding]);
}

void add_placement(ChunkedText& chunks, const PlanWords& words, Style style) {
  const Widths columns = widths(words.plan);
  chunks.text() +=
      heading(row(columns, "rank", "host", "local rank", "cores", "bound to") + "reason", style);
  for (std::uint32_t rank = 0; rank < words.plan.ranks.size() && chunks.go_on(); ++rank) {
    const model::PlannedRank& planned = words.plan.ranks[rank];
    const model::Host& host = words.plan.nodes[planned.node.value].host;
    std::string place =
        row(columns, std::to_string(rank), one_line(host.name), std::to_string(planned.local_rank),
            cores_of(host), bound_words(words.plan, planned));
    chunks.text() +=
        explained(std::move(place), one_line(words.reason(base::Rank(rank))), style.width);
    chunks.text() += '\n';
  }
}

[[nodiscard]] std::string program(const model::JobSpec& spec, const model::App& app,
                                  std::size_t ranks) {
  const std::string role = app.role.empty() ? "" : fmt::format(" ({})", one_line(app.role));
  const std::string image = image_of(spec, app);
  std::string text =
      fmt::format("  {} rank{}{}, in {}{}:", ranks, ranks == 1 ? "" : "s", role,
                  one_line(app.workdir), image.empty() ? "" : ", image " + one_line(image));
  for (const std::string& word : app.command) text += " " + one_line(base::shell_word(word));
  return text + "\n";
}

// What runs, and the hosts that a launcher in it is given.
[[nodiscard]] std::string programs(const PlanWords& words, Style style) {
  std::string text = "\n" + heading("what runs", style);
  std::vector<std::size_t> ranks(words.spec.apps.size());
  for (const model::PlannedRank& rank : words.plan.ranks) ++ranks[rank.app];
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    text += program(words.spec, words.spec.apps[i], ranks[i]);
  }
  const std::vector<std::string> hosts = launcher_hosts(words.spec);
  if (hosts.empty()) return text;
  text += "\n" + heading("hosts of the launcher in the command", style);
  for (const std::string& host : hosts) text += fmt::format("  {}\n", one_line(host));
  return text;
}

void add_launched(ChunkedText& chunks, const PlanWords& words, Style style) {
  if (words.inner == nullptr) return;
  chunks.text() += "\n" + heading("ranks that the launcher in the command starts", style);
  add_placement(chunks, *words.inner, style);
  chunks.text() += programs(*words.inner, style);
}

void add_variable_lines(std::string& out, std::span<const model::Variable> variables,
                        std::size_t width) {
  for (const model::Variable& variable : variables) {
    std::string set = fmt::format("  {}={}  ", one_line(variable.name), one_line(variable.value));
    out += explained(std::move(set), fmt::format("({})", one_line(variable.why)), width) + "\n";
  }
}

[[nodiscard]] std::string others_told(std::size_t others) {
  return fmt::format("  (--all-ranks shows those of the other {}too)\n",
                     others == 1 ? "rank, " : fmt::format("{} ranks, ", others));
}

// `whose`: which ranks they are, if not those of the plan.
void add_environments(ChunkedText& chunks, const PlanWords& words, Style style,
                      std::string_view whose) {
  const auto& [common, own, one_rank] = *words.environment;
  chunks.text() += "\n" + heading(fmt::format("environment of every rank{}", whose), style);
  add_variable_lines(chunks.text(), common, style.width);
  for (std::uint32_t rank = 0; rank < words.plan.ranks.size() && chunks.go_on(); ++rank) {
    const std::vector<model::Variable> variables = own(base::Rank(rank));
    if (variables.empty()) continue;
    chunks.text() += "\n" + heading(fmt::format("environment of rank {}{}", rank, whose), style);
    add_variable_lines(chunks.text(), variables, style.width);
    if (!one_rank) continue;
    const std::size_t others = words.plan.ranks.size() - rank - 1;
    if (others > 0) chunks.text() += others_told(others);
    return;
  }
}

[[nodiscard]] std::string withheld(const PlanWords& words, Style style) {
  if (words.withheld.empty()) return {};
  std::string text = "\n" + heading("variables that are not passed on", style);
  for (const auto& [name, why] : words.withheld) {
    text += explained(fmt::format("  {}  ", one_line(name)), fmt::format("({})", one_line(why)),
                      style.width) +
            "\n";
  }
  return text;
}

[[nodiscard]] std::string outputs(const PlanWords& words, Style style) {
  if (words.outputs.empty()) return {};
  std::string text = "\n" + heading("outputs", style);
  for (const model::NamedPath& one : words.outputs) {
    text += fmt::format("  {}  {}\n", one_line(one.name), one_line(one.path));
  }
  return text;
}

// "NUMA nodes 0-1"; of a wish for a rank's own nodes or for all of them, these words.
[[nodiscard]] std::string nodes_words(const model::MemoryWish& wish) {
  if (wish.own_nodes) return "the NUMA nodes of the cores it may run on";
  if (wish.nodes.empty()) return "all NUMA nodes of its host";
  return fmt::format("NUMA node{} {}", wish.nodes.count() == 1 ? "" : "s",
                     model::to_string(wish.nodes));
}

[[nodiscard]] std::string memory(const PlanWords& words, Style style) {
  const model::MemoryWish& wish = words.spec.mapping.memory;
  if (wish.mode == model::MemoryMode::inherited) return {};
  std::string text = "\n" + heading("memory of each rank", style);
  if (wish.mode == model::MemoryMode::local) {
    return text + "  from the NUMA node of the core that asks, from others when that is full\n";
  }
  const bool in_turn = wish.mode == model::MemoryMode::interleave;
  return text + fmt::format("  from {}, {}\n", nodes_words(wish),
                            in_turn ? "page by page in turn" : "and from no other");
}

[[nodiscard]] std::string code(const PlanWords& words, Style style) {
  if (!words.code) return {};
  const CodeWords& code = *words.code;
  std::string text = "\n" + heading("code", style);
  text += fmt::format("  {}: {} file{}, {}, of which the run gets a copy\n", one_line(code.folder),
                      code.files, code.files == 1 ? "" : "s", base::byte_words(code.bytes));
  for (const std::string& notice : code.notices) text += fmt::format("  {}\n", one_line(notice));
  return text;
}

[[nodiscard]] std::string notices(const model::Plan& plan, Style style) {
  std::string text = plan.notices.empty() ? "" : "\n";
  for (const std::string& notice : plan.notices)
    text += explained("notice: ", one_line(notice), style.width) + "\n";
  return text;
}

}  // namespace

std::string image_of(const model::JobSpec& spec, const model::App& app) {
  if (!spec.container) return "";
  return app.image.empty() ? spec.container->image : app.image;
}

void plan_table(const PlanWords& words, Style style, const Take& take) {
  ChunkedText chunks(take);
  add_placement(chunks, words, style);
  if (words.environment) {
    chunks.text() += programs(words, style);
    add_launched(chunks, words, style);
    add_environments(chunks, words, style, "");
    if (words.inner != nullptr && words.inner->environment) {
      add_environments(chunks, *words.inner, style, " that the launcher in the command starts");
    }
  }
  chunks.text() += memory(words, style) + withheld(words, style) + outputs(words, style) +
                   code(words, style) + notices(words.plan, style);
  chunks.hand_on();
}

}  // namespace muster::view
