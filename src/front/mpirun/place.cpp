// Counts, mapping and binding of an mpirun line; its hosts are in mpirun_hosts.cpp.
#include "front/mpirun/place.hpp"

#include <map>

#include "front/mapping_words.hpp"
#include "front/memory_words.hpp"
#include "option/values.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using model::Level;

model::Mapping& mapping(MpirunDraft& draft) { return draft.request.spec.mapping; }

using PerObject = std::optional<MpirunCount>;

Result<void> store_count(const Typed& typed, Level level, PerObject& to) {
  return read_count(typed, {1, model::kRanksMax}).map([&](std::uint32_t count) {
    to = {count, level};
  });
}

PerObject chosen(const MpirunPerObject& said) {
  for (const PerObject* one :
       {&said.one_per_node, &said.per_node, &said.per_socket, &said.pattern}) {
    if (*one) return *one;
  }
  return std::nullopt;
}

}  // namespace

// 0 counts as not given (orte/orted/orted_submit.c).
Result<void> set_ranks(MpirunDraft& draft, const Typed& typed) {
  const auto count = read_count(typed, {0, model::kRanksMax});
  if (!count) return tl::unexpected(count.error());
  draft.block.app.ranks.reset();
  if (*count > 0) draft.block.app.ranks = *count;
  return {};
}

Result<void> add_hosts(MpirunDraft& draft, const Typed& typed) {
  if (typed.value.empty()) return fail(Fault::usage, "", "{} has an empty value", typed.option);
  return join_hosts(draft.block, typed);
}

Result<void> set_hostfile(MpirunDraft& draft, const Typed& typed) {
  auto path = read_hostfile_name(typed);
  if (!path) return tl::unexpected(path.error());
  if (!draft.block.hosts.file.empty()) {
    return fail(Fault::usage, "put all hosts into one file", "{} is given twice for one program",
                typed.option);
  }
  draft.block.hosts.file = std::move(*path);
  return {};
}

Result<void> set_oversubscribe(MpirunDraft& draft, const Typed& typed, bool allowed) {
  auto& spec = draft.request.spec;
  if (draft.oversubscribe_said && spec.oversubscribe != allowed) {
    return fail(Fault::usage, "keep one of them", "{} cannot be combined with an earlier option",
                typed.option);
  }
  draft.oversubscribe_said = true;
  spec.oversubscribe = allowed;
  spec.mapping.no_oversubscribe = !allowed;
  return {};
}

Result<void> map_by_parameter(MpirunDraft& draft, const Typed& typed) {
  if (draft.mapped_by_option) return {};
  return set_map_by(draft, typed).map([&] { draft.mapped_by_option = false; });
}

// "mlx5_0:1": with a port, which does not matter here.
Result<void> set_dist_device(MpirunDraft& draft, const Typed& typed) {
  const std::string_view name = typed.value.substr(0, typed.value.find(':'));
  if (mapping(draft).device.empty()) mapping(draft).device = std::string(name);
  return {};
}

Result<void> set_map_by(MpirunDraft& draft, const Typed& typed) {
  draft.mapped_by_option = true;
  const auto words = read_map_by_words(typed, mapping(draft));
  if (!words) return tl::unexpected(words.error());
  if (!words->rankfile.empty()) draft.rankfile = words->rankfile;
  if (words->oversubscribe) return set_oversubscribe(draft, typed, *words->oversubscribe);
  return {};
}

Result<void> set_rank_by(MpirunDraft& draft, const Typed& typed) {
  return read_rank_by_words(typed, mapping(draft));
}

Result<void> set_bind_to(MpirunDraft& draft, const Typed& typed) {
  return read_bind_to_words(typed, mapping(draft));
}

Result<void> set_memory(MpirunDraft& draft, const Typed& typed) {
  draft.memory_by_option = true;
  return store(read_memory(typed), mapping(draft).memory);
}

// A rank's memory comes from the nodes of the cpus that it is bound to, and from no other
// (opal/mca/hwloc/base/hwloc_base_maffinity.c).
Result<void> memory_by_parameter(MpirunDraft& draft, const Typed& typed) {
  if (typed.value != "none" && typed.value != "local_only") {
    return fail(Fault::usage, "", "{} must be none or local_only, not {}", typed.option,
                spec::in_quotes(typed.value));
  }
  if (draft.memory_by_option) return {};
  model::MemoryWish& memory = mapping(draft).memory;
  memory.own_nodes = typed.value == "local_only";
  memory.mode = memory.own_nodes ? model::MemoryMode::bind : model::MemoryMode::inherited;
  memory.if_refused = draft.memory_refused;
  return {};
}

Result<void> set_memory_failure(MpirunDraft& draft, const Typed& typed) {
  const std::map<std::string_view, model::IfRefused> actions = {
      {"silent", model::IfRefused::ignore},
      {"warn", model::IfRefused::tell},
      {"error", model::IfRefused::fail}};
  const auto action = actions.find(typed.value);
  if (action == actions.end()) {
    return fail(Fault::usage, "", "{} must be silent, warn or error, not {}", typed.option,
                spec::in_quotes(typed.value));
  }
  draft.memory_refused = action->second;
  if (!draft.memory_by_option) mapping(draft).memory.if_refused = action->second;
  return {};
}

Result<void> set_by(MpirunDraft& draft, std::string_view object) {
  const Typed typed{"--map-by", object};
  return set_map_by(draft, typed).and_then([&] { return set_rank_by(draft, typed); });
}

Result<void> set_one_per_node(MpirunDraft& draft) {
  draft.per_object.one_per_node.emplace();
  return {};
}

Result<void> set_per_node(MpirunDraft& draft, const Typed& typed) {
  return store_count(typed, Level::machine, draft.per_object.per_node);
}

Result<void> set_per_socket(MpirunDraft& draft, const Typed& typed) {
  return store_count(typed, Level::package, draft.per_object.per_socket);
}

Result<void> set_ppr(MpirunDraft& draft, const Typed& typed) {
  const std::string text = "ppr:" + std::string(typed.value);
  model::Mapping read;
  const auto words = read_map_by_words({typed.option, text}, read);
  if (!words) return tl::unexpected(words.error());
  draft.per_object.pattern = {read.per_object, read.level};
  return {};
}

// What --map-by says beside them is no more than an order of numbers, unless it is ppr itself or
// names each rank's place.
void settle_per_object(MpirunDraft& draft) {
  model::Mapping& to = mapping(draft);
  const PerObject said = chosen(draft.per_object);
  const bool has_places = to.map_by == model::MapBy::ppr || to.map_by == model::MapBy::seq ||
                          to.map_by == model::MapBy::rankfile || to.map_by == model::MapBy::pe_list;
  if (!said || has_places) return;
  if (to.map_by == model::MapBy::node && !to.rank_given) {
    to.rank_by = model::RankBy::node;
    to.rank_given = true;
  }
  to.map_by = model::MapBy::ppr;
  to.level = said->level;
  to.per_object = said->ranks;
  to.map_given = true;
}

Result<void> set_cpus_per_rank(MpirunDraft& draft, const Typed& typed) {
  const auto count = read_count(typed, {1, model::kCpusMax});
  if (!count) return tl::unexpected(count.error());
  mapping(draft).cpus_per_rank = *count;
  return {};
}

Result<void> set_cpu_set(MpirunDraft& draft, const Typed& typed) {
  return read_cpu_set_words(typed, mapping(draft));
}

Result<void> set_cpu_list(MpirunDraft& draft, const Typed& typed) {
  return read_cpu_list_words(typed, mapping(draft));
}

Result<void> settle_rankfile(MpirunDraft& draft) {
  return read_rankfile_of(*draft.call, draft.rankfile, draft.request.spec);
}

}  // namespace muster::front
