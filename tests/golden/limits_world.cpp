// The limits of World: of its numbers, and of what its lists must have in common.
#include <string>

#include "golden/limits.hpp"
#include "golden/limits_parts.hpp"
#include "golden/raw_frames.hpp"
#include "model/job_spec.hpp"

namespace muster::wire {
namespace {

// A world of one app as fields of protobuf, which may disagree.
struct RawWorld {
  std::int64_t hosts = 2;
  std::int64_t slots = 1;
  std::int64_t addresses = 1;
  std::int64_t steps = 1;
  std::int64_t runs = 1;
  std::int64_t run_ranks = 2;
  std::int64_t app_ranks = 2;
  std::int64_t ports = 0;
  std::int64_t port = 1;
};

std::string framed_raw(const RawWorld& raw) {
  constexpr std::string_view kNone;
  constexpr std::uint64_t kOneOn = 2;  // a step of one, in protobuf's zigzag
  const std::string app = field(1, std::string_view("p")) + field(5, raw.app_ranks);
  const std::string world = field(4, std::string_view(app)) + repeated(6, kNone, raw.hosts) +
                            repeated(7, std::uint64_t{1}, raw.slots) +
                            repeated(8, kOneOn, raw.steps) + repeated(9, raw.run_ranks, raw.runs) +
                            repeated(13, kNone, raw.addresses) + repeated(14, raw.port, raw.ports);
  return raw_frame(kControlKind, field(18, std::string_view(world)));
}

template <class Set>
Limit raw_limit(const char* name, std::int64_t limit, Set set) {
  return around(name, limit, [&](std::int64_t value) {
    RawWorld raw;
    set(raw, value);
    return framed_raw(raw);
  });
}

// Lists of a world that must be of one length, or may be one value for all.
Limits lists_that_agree() {
  return {
      raw_limit("slots, of two hosts", 2, [](auto& raw, auto value) { raw.slots = value; }),
      raw_limit("addresses, of two hosts", 2, [](auto& raw, auto value) { raw.addresses = value; }),
      raw_limit("lengths of runs, of two runs", 2,
                [](auto& raw, auto value) { raw.steps = 2, raw.runs = value, raw.run_ranks = 1; }),
      raw_limit("ranks of the apps, of two ranks", 2,
                [](auto& raw, auto value) { raw.app_ranks = value; }),
      raw_limit("ports of ranks, of two ranks", 2,
                [](auto& raw, auto value) { raw.ports = value; })};
}

Limits numbers_of_hosts_and_ranks() {
  return {
      raw_limit("fewest hosts of ranks", 1, [](auto& raw, auto value) { raw.hosts = value; }),
      raw_limit("hosts", model::kRanksMax, [](auto& raw, auto value) { raw.hosts = value; }),
      raw_limit("ranks", model::kRanksMax,
                [](auto& raw, auto value) { raw.run_ranks = raw.app_ranks = value; }),
      raw_limit("ports of ranks", model::kRolesRanksMax,
                [](auto& raw, auto value) { raw.run_ranks = raw.app_ranks = raw.ports = value; }),
      raw_limit("port of a rank", 65'535,
                [](auto& raw, auto value) { raw.ports = 2, raw.port = value; })};
}

// Few bytes that stand for many.
Limits sizes(const World& sample) {
  constexpr std::int64_t kNodes = 1024;
  constexpr std::int64_t kShare = kControlMax / kNodes - sizeof(std::string);
  // Its first variable once, its second twice: with names and the objects that hold them.
  constexpr std::int64_t kThree = 6 * sizeof(std::string) + 1 + 2 * 1;
  constexpr std::int64_t kLong = 32 << 20;
  World two = sample;
  two.variables = {{"A", ""}, {"B", std::string(kLong - 100, 'b')}};
  two.kept = {{{0, 1}, {}}, {{1}, {}}};
  return {limit("bytes of an address of 1024 hosts", kShare, sample,
                [](World& world, auto value) {
                  world.plan.nodes.resize(kNodes);
                  world.point.addresses.assign(kNodes, std::string(value, 'a'));
                }),
          limit("bytes of a variable beside a longer one of two apps", 200 - kThree, two,
                [](World& world, auto value) { world.variables[0].value.assign(value, 'a'); })};
}

Limits indexes(const World& sample) {
  const auto kept = [](World& world, std::vector<std::uint32_t> indexes) {
    world.kept[0] = {std::move(indexes), {}};
  };
  return {
      limit("words of a command", 1, sample,
            [](World& world, auto value) { world.spec.apps[1].command.assign(value, "w"); }),
      limit("index of a variable, of three", 2, sample,
            [&](World& world, auto value) { kept(world, {std::uint32_t(value)}); }),
      limit("index of a variable after the first", 1, sample,
            [&](World& world, auto value) {
              kept(world, {0, std::uint32_t(value)});
            }),
      limit("host of a rank, of two", 1, sample,
            [](World& world, auto value) { world.plan.ranks[0].node = base::NodeIndex(value); }),
      limit("first rank, of four", model::kRanksMax - 4, sample,
            [](World& world, auto value) { world.first = base::Rank(value); })};
}

}  // namespace

Limits limits_of_world(const World& sample) {
  const auto number = [&](const char* name, std::int64_t limit, std::vector<int> path) {
    path.insert(path.begin(), 18);
    return around(name, limit, [&](auto value) { return with_field(framed(sample), path, value); });
  };
  const Limits numbers = {
      number("number of the world", model::kRanksMax, {1}),
      number("columns of a terminal", 65'535, {24, 1}),
      number("rows of a terminal", 65'535, {24, 2}),
      number("roles", static_cast<int>(model::Roles::mindspore), {29}),
      number("wire-up", static_cast<int>(model::Wireup::none), {30}),
      number("memory mode", static_cast<int>(model::MemoryMode::bind), {42, 1}),
      number("memory, if refused", static_cast<int>(model::IfRefused::ignore), {42, 4})};
  return joined(joined(joined(numbers, indexes(sample)), sizes(sample)),
                joined(numbers_of_hosts_and_ranks(), lists_that_agree()));
}

}  // namespace muster::wire
