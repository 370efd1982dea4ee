// Counts, mapping and binding of an mpirun line; its hosts are in mpirun_hosts.cpp.
#include "front/mpirun/place.hpp"

#include "front/mapping_words.hpp"
#include "option/values.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using model::Level;

model::Mapping& mapping(MpirunDraft& draft) { return draft.request.spec.mapping; }

Result<void> per_object(MpirunDraft& draft, const Typed& typed, Level level) {
  const auto count = read_count(typed, {1, model::kRanksMax});
  if (!count) return tl::unexpected(count.error());
  mapping(draft).map_by = model::MapBy::ppr;
  mapping(draft).level = level;
  mapping(draft).per_object = *count;
  mapping(draft).map_given = true;
  return {};
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
  auto path = read_text(typed);
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

Result<void> set_map_by(MpirunDraft& draft, const Typed& typed) {
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

Result<void> set_by(MpirunDraft& draft, std::string_view object) {
  const Typed typed{"--map-by", object};
  return set_map_by(draft, typed).and_then([&] { return set_rank_by(draft, typed); });
}

Result<void> set_per_node(MpirunDraft& draft, const Typed& typed) {
  return per_object(draft, typed, Level::machine);
}

Result<void> set_per_socket(MpirunDraft& draft, const Typed& typed) {
  return per_object(draft, typed, Level::package);
}

Result<void> set_ppr(MpirunDraft& draft, const Typed& typed) {
  const std::string text = "ppr:" + std::string(typed.value);
  return set_map_by(draft, {typed.option, text});
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
  return read_rankfile_of(*draft.call, draft.rankfile, mapping(draft));
}

}  // namespace muster::front
