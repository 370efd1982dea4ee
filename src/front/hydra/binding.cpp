// Hydra's words for places on a host.
#include "front/hydra/binding.hpp"

#include <algorithm>
#include <utility>

#include "base/words.hpp"
#include "front/levels.hpp"
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

constexpr std::string_view kDevices[] = {"pci", "gpu", "ib", "en", "eth", "hfi"};

struct Place {
  Level level = Level::core;
  std::uint32_t width = 1;
};

bool is_device(std::string_view word) {
  const std::string_view letters = word.substr(0, word.find_first_of("0123456789:"));
  return std::ranges::find(kDevices, letters) != std::end(kDevices);
}

// "core", "core:2".
Result<Place> read_place(const Typed& typed) {
  const std::string text = base::lower(typed.value);
  const std::string word = text.substr(0, text.find(':'));
  const auto level = hydra_level(word);
  if (is_device(text)) {
    return fail(Fault::usage, "bind to numa or socket", "{} near a device ({}) is not possible",
                typed.option, in_quotes(typed.value));
  }
  if (!level) {
    return fail(Fault::usage, "", "{}: {} is not a place on a host", typed.option,
                in_quotes(typed.value));
  }
  Place place{*level, 1};
  if (word.size() == text.size()) return place;
  const auto width =
      spec::read_number(fmt::format("{} {}", typed.option, word), text.substr(word.size() + 1),
                        {1, model::kCpusMax}, Fault::usage);
  if (!width) return tl::unexpected(width.error());
  place.width = *width;
  return place;
}

// "0+2,1+4": cpus of local rank 0, of local rank 1.
Result<std::vector<CpuSet>> read_user_sets(const Typed& typed, std::string_view text) {
  std::vector<CpuSet> sets;
  for (const std::string& part : base::split(text, ",")) {
    CpuSet set;
    for (const std::string& number : base::split(part, "+")) {
      const auto cpu = spec::read_number(fmt::format("{}: a cpu", typed.option), number,
                                         {0, model::kCpusMax - 1}, Fault::usage);
      if (!cpu) return tl::unexpected(cpu.error());
      set.add(*cpu);
    }
    if (!set.empty()) sets.push_back(std::move(set));
  }
  if (!sets.empty()) return sets;
  return fail(Fault::usage, "for example user:0+1,2+3", "{} user: names no cpu", typed.option);
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
  if (word.starts_with("user:")) return bind_to_user(mapping, typed);
  const auto place = read_place(typed);
  if (!place) return tl::unexpected(place.error());
  mapping.bind_to = BindTo::object;
  mapping.bind_level = place->level;
  mapping.bind_width = place->width;
  return {};
}

Result<void> set_hydra_map_by(HydraDraft& draft, const Typed& typed) {
  model::Mapping& mapping = draft.request.spec.mapping;
  const auto place = read_place(typed);
  if (!place) return tl::unexpected(place.error());
  mapping.map_by = model::MapBy::object;
  mapping.level = place->level;
  mapping.map_width = place->width;
  mapping.map_given = true;
  return {};
}

// Linux does what firsttouch asks for on its own.
Result<void> set_hydra_membind(HydraDraft&, const Typed& typed) {
  const std::string word = base::lower(typed.value);
  if (word == "none" || word == "firsttouch") return {};
  return fail(Fault::usage, "wrap the program in numactl for other policies",
              "{} must be none or firsttouch here, not {}", typed.option, in_quotes(typed.value));
}

}  // namespace muster::front
