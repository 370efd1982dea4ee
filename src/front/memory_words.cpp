// Reads --mem-bind.
#include "front/memory_words.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "base/words.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

tl::unexpected<base::Error> no_policy(const Typed& typed) {
  const std::vector<std::string> known = {"none", "local", "interleave", "bind"};
  const std::string_view word = typed.value.substr(0, typed.value.find(':'));
  const std::string example = "for example --mem-bind interleave or --mem-bind bind:0";
  const bool is_known = std::ranges::count(known, word) > 0;
  return base::fail(base::Fault::usage,
                    is_known ? example : base::did_you_mean(word, known, example),
                    "{} must be none, local, interleave, interleave:LIST or bind:LIST, not {}",
                    typed.option, spec::in_quotes(typed.value));
}

// What stands before the next ':' of `text`, which becomes what stands behind it.
std::string_view take_piece(std::string_view& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view piece = text.substr(0, colon);
  text.remove_prefix(std::min(colon + 1, text.size()));
  return piece;
}

}  // namespace

base::Result<model::CpuSet> read_numa_nodes(const Typed& typed, std::string_view list) {
  auto nodes = model::parse_cpu_set(list);
  if (nodes) return nodes;
  return base::fail(base::Fault::usage, "`numactl -H` lists the NUMA nodes of a host",
                    "{} needs numbers of NUMA nodes, such as 0 or 0-1, not {}", typed.option,
                    spec::in_quotes(list));
}

base::Result<model::MemoryWish> read_memory(const Typed& typed) {
  constexpr std::string_view kIfSupported = "if-supported";
  const std::string text = base::lower(typed.value);
  std::string_view rest = text;
  const std::string_view word = take_piece(rest);
  std::string_view list = take_piece(rest);
  model::MemoryWish wish;
  if (list == kIfSupported && rest.empty()) std::swap(list, rest);
  if (!rest.empty() && rest != kIfSupported) {
    return base::fail(base::Fault::usage, "", "{} allows :if-supported, not {}", typed.option,
                      spec::in_quotes(rest));
  }
  if (!rest.empty()) wish.if_refused = model::IfRefused::tell;
  const bool has_list = !list.empty();
  if (word == "interleave") {
    wish.mode = model::MemoryMode::interleave;
  } else if (word == "bind" && has_list) {
    wish.mode = model::MemoryMode::bind;
  } else if (word == "local" && !has_list) {
    wish.mode = model::MemoryMode::local;
  } else if (word != "none" || has_list) {
    return no_policy(typed);
  }
  if (!has_list) return wish;
  auto nodes = read_numa_nodes(typed, list);
  if (!nodes) return tl::unexpected(std::move(nodes.error()));
  wish.nodes = std::move(*nodes);
  return wish;
}

}  // namespace muster::front
