// Hydra's words for places on a host.
#include "front/hydra/binding.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/words.hpp"
#include "front/levels.hpp"
#include "front/memory_words.hpp"
#include "spec/in_quotes.hpp"
#include "spec/number.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using model::BindTo;
using model::CpuSet;
using model::Level;
using spec::in_quotes;

// How names of devices begin; the kernel's own of network devices, such as mlx5_0, too.
constexpr std::string_view kDevices[] = {"gpu", "ib",   "en",   "eth",   "hfi",
                                         "mlx", "roce", "bnxt", "irdma", "cxi"};

// Of these any will do; other words are names.
constexpr std::array<std::string_view, 4> kKinds = {"ib", "hfi", "en", "eth"};

struct Place {
  Level level = Level::core;
  std::uint32_t width = 1;
};

bool is_device(std::string_view word) {
  return word.starts_with("pci:") || std::ranges::any_of(kDevices, [&](std::string_view beginning) {
           return word.starts_with(beginning);
         });
}

// Near the GPU with the rank's number.
bool is_each_gpu(std::string_view word) { return word == "gpu" || word == "gpu:1"; }

// N of "core:N".
Result<std::uint32_t> read_width(const Typed& typed, std::string_view word) {
  const std::string_view text = typed.value;
  if (word.size() == text.size()) return 1;
  return spec::read_number(fmt::format("{} {}", typed.option, word), text.substr(word.size() + 1),
                           {1, model::kCpusMax}, Fault::usage);
}

// "ib", "eth:2", "mlx5_0", "gpu1". hwloc looks PCI addresses up, which hosts do not report.
Result<void> bind_near(model::Mapping& mapping, const Typed& typed) {
  const std::string word(typed.value.substr(0, typed.value.find(':')));
  if (base::lower(word) == "pci") {
    return fail(Fault::usage, "name the device as its host does, for example gpu0, mlx5_0 or eth0",
                "{} {}: devices are not known by their PCI addresses", typed.option,
                in_quotes(typed.value));
  }
  const auto width = read_width(typed, word);
  if (!width) return tl::unexpected(width.error());
  const std::string small = base::lower(word);
  const bool is_kind = small.starts_with("gpu") || std::ranges::find(kKinds, small) != kKinds.end();
  mapping.near = is_kind ? small : word;
  mapping.bind_to = BindTo::gpu;
  mapping.bind_or_not = false;
  mapping.bind_width = *width;
  return {};
}

// "core", "core:2".
Result<Place> read_place(const Typed& typed) {
  const std::string text = base::lower(typed.value);
  const std::string word = text.substr(0, text.find(':'));
  const auto level = hydra_level(word);
  if (is_device(text)) {
    return fail(Fault::usage, "leave it out: -bind-to takes devices in turn",
                "{} {}: ranks are bound near devices, but not mapped by them", typed.option,
                in_quotes(typed.value));
  }
  if (!level) {
    return fail(Fault::usage, "", "{}: {} is not a place on a host", typed.option,
                in_quotes(typed.value));
  }
  return read_width(typed, word).map([&](std::uint32_t width) { return Place{*level, width}; });
}

Result<std::uint32_t> read_user_number(const Typed& typed, std::string_view what,
                                       std::string_view word, std::uint32_t least) {
  return spec::read_number(fmt::format("{}: {}", typed.option, what), word,
                           {least, model::kCpusMax - 1}, Fault::usage);
}

// "3", "0-3".
Result<void> add_user_cpus(const Typed& typed, std::string_view word, CpuSet& set) {
  const std::size_t dash = std::min(word.find('-'), word.size());
  const auto first = read_user_number(typed, "a cpu", word.substr(0, dash), 0);
  if (!first) return tl::unexpected(first.error());
  if (dash == word.size()) {
    set.add(*first);
    return {};
  }
  const auto last =
      read_user_number(typed, "the last cpu of a range", word.substr(dash + 1), *first);
  if (!last) return tl::unexpected(last.error());
  set |= CpuSet::range(*first, *last);
  return {};
}

tl::unexpected<base::Error> names_no_cpu(const Typed& typed, std::string_view words) {
  return fail(Fault::usage, "for example user:0-1,2+3,4x2: of four ranks", "{} {} names no cpu",
              typed.option, in_quotes(words));
}

// "0+2,1+4": cpus of local rank 0, of local rank 1; "0-3x2" of two ranks one after the other.
Result<std::vector<CpuSet>> read_user_sets(const Typed& typed, std::string_view text) {
  std::vector<CpuSet> sets;
  for (const std::string& part : base::split(text, ",")) {
    const std::size_t cross = std::min(part.find('x'), part.size());
    CpuSet set;
    for (const std::string& word : base::split(std::string_view(part).substr(0, cross), "+")) {
      if (auto added = add_user_cpus(typed, word, set); !added)
        return tl::unexpected(added.error());
    }
    std::uint32_t times = 1;
    if (cross < part.size()) {
      const auto read = read_user_number(typed, "a number of ranks", part.substr(cross + 1), 1);
      if (!read) return tl::unexpected(read.error());
      times = *read;
    }
    if (set.empty()) return names_no_cpu(typed, part);
    if (sets.size() + times > model::kCpusMax) {
      return fail(Fault::usage, "", "{} has cpus of at most {} ranks", typed.option,
                  model::kCpusMax);
    }
    sets.insert(sets.end(), times, set);
  }
  if (!sets.empty()) return sets;
  return names_no_cpu(typed, typed.value);
}

Result<void> bind_to_user(model::Mapping& mapping, const Typed& typed) {
  auto sets = read_user_sets(typed, typed.value.substr(5));
  if (!sets) return tl::unexpected(sets.error());
  mapping.user_sets = std::move(*sets);
  mapping.bind_to = BindTo::user;
  return {};
}

}  // namespace

Result<void> set_hydra_bind_to(HydraDraft& draft, const Typed& typed) {
  model::Mapping& mapping = draft.request.spec.mapping;
  const std::string word = base::lower(typed.value);
  mapping.bind_given = true;
  if (word == "none") {
    mapping.bind_to = BindTo::none;
    return {};
  }
  if (word == "rr") {
    mapping.bind_to = BindTo::rr;
    return {};
  }
  if (is_each_gpu(word)) {
    mapping.bind_to = BindTo::gpu;
    mapping.bind_or_not = false;
    return {};
  }
  if (word.starts_with("user:")) return bind_to_user(mapping, typed);
  if (is_device(word)) return bind_near(mapping, typed);
  const auto place = read_place(typed);
  if (!place) return tl::unexpected(place.error());
  mapping.bind_to = BindTo::object;
  mapping.bind_level = place->level;
  mapping.bind_width = place->width;
  return {};
}

Result<void> set_hydra_map_by(HydraDraft& draft, const Typed& typed) {
  model::Mapping& mapping = draft.request.spec.mapping;
  draft.maps_by_gpu = is_each_gpu(base::lower(typed.value));
  if (draft.maps_by_gpu) return {};
  const auto place = read_place(typed);
  if (!place) return tl::unexpected(place.error());
  mapping.map_by = model::MapBy::object;
  mapping.level = place->level;
  mapping.map_width = place->width;
  mapping.map_given = true;
  return {};
}

Result<void> settle_hydra_binding(const HydraDraft& draft) {
  const model::Mapping& mapping = draft.request.spec.mapping;
  const bool binds = mapping.bind_to == BindTo::gpu;
  if (draft.maps_by_gpu && !(binds && mapping.near.empty())) {
    return fail(Fault::usage, "-bind-to gpu does both", "-map-by gpu goes with -bind-to gpu alone");
  }
  if (binds && mapping.map_given) {
    return fail(
        Fault::usage, "leave -map-by out", "-bind-to {} takes {} in turn, and no other -map-by",
        mapping.near.empty() ? "gpu" : mapping.near, mapping.near.empty() ? "the GPUs" : "devices");
  }
  return {};
}

// Hydra reads a list of nodes, which its help asks for, and takes those of the rank's cpus instead;
// without a list we do so, too. What the kernel refuses it passes over
// (src/pm/hydra/lib/tools/topo/hwloc/topo_hwloc.c).
Result<void> set_hydra_membind(HydraDraft& draft, const Typed& typed) {
  const std::string text = base::lower(typed.value);
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view word = std::string_view(text).substr(0, colon);
  const std::string_view list = std::string_view(text).substr(std::min(colon + 1, text.size()));
  const bool has_colon = colon < text.size();
  model::MemoryWish wish{.if_refused = model::IfRefused::tell};
  if (word == "firsttouch" && !has_colon) {
    wish.mode = model::MemoryMode::local;
  } else if (word == "nexttouch" && !has_colon) {
    draft.notices.push_back(
        fmt::format("{} nexttouch has no effect: Linux has no such policy", typed.option));
  } else if (has_colon && (word == "bind" || word == "interleave")) {
    wish.mode = word == "bind" ? model::MemoryMode::bind : model::MemoryMode::interleave;
    wish.own_nodes = list.empty();
    auto nodes = list.empty() ? Result<CpuSet>() : read_numa_nodes(typed, list);
    if (!nodes) return tl::unexpected(std::move(nodes.error()));
    wish.nodes = std::move(*nodes);
  } else if (word != "none" || has_colon) {
    return fail(Fault::usage, "for example bind:0 or interleave:0-1",
                "{} must be none, firsttouch, nexttouch, bind:LIST or interleave:LIST, not {}",
                typed.option, in_quotes(typed.value));
  }
  draft.request.spec.mapping.memory = std::move(wish);
  return {};
}

}  // namespace muster::front
