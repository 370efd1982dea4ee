// Maps and bindings against what Open MPI 4.1 and Hydra themselves made of the same words and
// machines (tests/data/record_launchers.py).
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <span>
#include <sstream>
#include <string_view>

#include "front/mpirun/front.hpp"
#include "model/topology_text.hpp"
#include "plan/plan.hpp"
#include "plan/report_binding.hpp"

namespace muster::golden {
namespace {

using model::BindTo;
using model::Level;
using model::MapBy;
using model::RankBy;

struct Case {
  std::string topology;
  std::vector<std::string> words;
  std::vector<std::string> lines;  // what the launcher said
};

std::string read(const std::string& path_below_tests) {
  std::ifstream file(std::string(MUSTER_SOURCE_DIR) + "/tests/" + path_below_tests);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<Case> cases(const std::string& launcher) {
  std::vector<Case> result;
  std::istringstream lines(read("data/launchers/" + launcher + ".txt"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("case ")) {
      result.back().lines.push_back(line);
      continue;
    }
    std::istringstream words(line.substr(5));
    result.emplace_back();
    words >> result.back().topology;
    for (std::string word; words >> word;) result.back().words.push_back(word);
  }
  return result;
}

model::SharedTopology topology(const std::string& name) {
  auto made = model::decode_topology(read("golden/data/topology/" + name + ".txt"));
  EXPECT_TRUE(made) << name;
  if (!made) return {};
  return {std::make_shared<const model::Topology>(std::move(*made))};
}

std::optional<Level> level_of(const std::string& word) {
  if (word == "socket") return Level::package;
  if (word == "node") return Level::machine;
  for (std::size_t i = 0; i < model::kLevels; ++i) {
    if (word == model::name_of(static_cast<Level>(i))) return static_cast<Level>(i);
  }
  return std::nullopt;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// The few words that the recorded cases use.
struct Reader {
  model::JobSpec spec;

  void map_by(const std::vector<std::string>& parts) {
    model::Mapping& mapping = spec.mapping;
    mapping.map_given = true;
    if (parts[0] == "ppr") {
      mapping.map_by = MapBy::ppr;
      mapping.per_object = static_cast<std::uint32_t>(std::stoul(parts[1]));
      mapping.level = *level_of(parts[2]);
      return;
    }
    if (parts[0] == "node") {
      mapping.map_by = MapBy::node;
    } else if (parts[0] != "slot") {
      mapping.map_by = MapBy::object;
      mapping.level = *level_of(parts[0]);
    }
    if (parts.size() < 2) return;
    mapping.span = parts[1] == "span";
    if (parts[1].starts_with("PE=")) {
      mapping.cpus_per_rank = static_cast<std::uint32_t>(std::stoul(parts[1].substr(3)));
    } else if (!mapping.span) {
      mapping.map_width = static_cast<std::uint32_t>(std::stoul(parts[1]));
    }
  }

  void rank_by(const std::vector<std::string>& parts) {
    model::Mapping& mapping = spec.mapping;
    mapping.rank_given = true;
    mapping.rank_by = parts[0] == "slot" ? RankBy::slot : RankBy::object;
    if (parts[0] == "node") mapping.rank_by = RankBy::node;
    if (mapping.rank_by != RankBy::object) return;
    mapping.rank_level = *level_of(parts[0]);
    if (parts.size() > 1) mapping.rank_by = RankBy::fill;
  }

  void bind_to(const std::vector<std::string>& parts) {
    model::Mapping& mapping = spec.mapping;
    mapping.bind_given = true;
    if (parts[0] == "none") return;
    mapping.bind_to = parts[0] == "rr" ? BindTo::rr : BindTo::object;
    if (mapping.bind_to == BindTo::object) mapping.bind_level = *level_of(parts[0]);
    if (parts.size() < 2) return;
    mapping.bind_overload = parts[1] == "overload-allowed";
    if (!mapping.bind_overload) {
      mapping.bind_width = static_cast<std::uint32_t>(std::stoul(parts[1]));
    }
  }

  void hosts(const std::string& list) {
    spec.source = model::kHostsListed;
    for (const std::string& word : split(list, ',')) {
      const auto parts = split(word, ':');
      model::HostEntry entry;
      entry.name = parts[0];
      entry.slots = static_cast<std::uint32_t>(std::stoul(parts[1]));
      spec.hosts.push_back(entry);
    }
  }

  void take(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string name = words[i].substr(words[i].find_first_not_of('-'));
      if (name == "oversubscribe") {
        spec.oversubscribe = true;
        continue;
      }
      const std::string& value = words[++i];
      if (name == "H") hosts(value);
      if (name == "np" || name == "n") {
        spec.apps.front().ranks = static_cast<std::uint32_t>(std::stoul(value));
      }
      if (name == "map-by") map_by(split(value, ':'));
      if (name == "rank-by") rank_by(split(value, ':'));
      if (name == "bind-to") bind_to(split(value, ':'));
    }
  }
};

base::Result<model::Plan> planned(const model::JobSpec& spec,
                                  const model::SharedTopology& hardware) {
  auto inventory = plan::inventory(spec, {{8}, "a", {"a"}, hardware});
  if (!inventory) return tl::unexpected(inventory.error());
  for (model::Host& host : inventory->hosts) host.topology = hardware;
  return plan::place(spec, *inventory);
}

std::string open_mpi_binding(const model::Topology& hardware, const model::Plan& plan,
                             const model::PlannedRank& rank) {
  if (rank.binding == model::kUnbound) return "N/A";
  std::string text = plan::report_binding(hardware, plan.sets[rank.binding]);
  if (text.starts_with("is not bound")) return "UNBOUND";
  const std::size_t blank = text.find("]: [");
  if (blank != std::string::npos) text.erase(blank + 2, 1);
  return text;
}

std::vector<std::string> as_open_mpi(const Case& one) {
  Reader reader;
  reader.spec.slot_rule = model::SlotRule::open_mpi;
  reader.spec.mapping.bind_by_default = true;
  reader.take(one.words);
  const auto hardware = topology(one.topology);
  const auto plan = planned(reader.spec, hardware);
  if (!plan) return {"error"};
  std::vector<std::string> lines;
  for (std::size_t rank = 0; rank < plan->ranks.size(); ++rank) {
    const auto& where = plan->ranks[rank];
    lines.push_back(fmt::format("{} {} {}", rank, plan->nodes[where.node.value].host.name,
                                open_mpi_binding(*hardware, *plan, where)));
  }
  return lines;
}

std::vector<std::string> as_hydra(const Case& one) {
  Reader reader;
  reader.spec.slot_rule = model::SlotRule::hydra;
  reader.take(one.words);
  const auto hardware = topology(one.topology);
  const auto plan = planned(reader.spec, hardware);
  if (!plan) return {"error"};
  std::vector<std::string> lines;
  for (std::size_t rank = 0; rank < plan->ranks.size(); ++rank) {
    std::string bits;
    const auto binding = plan->ranks[rank].binding;
    const std::size_t width = hardware->allowed.count();
    for (std::uint32_t cpu = 0; cpu < width; ++cpu) {
      const bool bound = binding != model::kUnbound && plan->sets[binding].has(cpu);
      bits += bound ? '1' : '0';
    }
    lines.push_back(fmt::format("{} {}", rank, bits));
  }
  return lines;
}

std::string title(const Case& one) {
  std::string text = one.topology;
  for (const std::string& word : one.words) text += " " + word;
  return text;
}

// Where we differ, because the launcher fails or leaves what may be used.
struct Difference {
  std::string_view topology;
  std::string_view words;  // the case ends so
};

bool is_among(const Case& one, std::span<const Difference> differences) {
  return std::ranges::any_of(differences, [&](const Difference& difference) {
    return difference.topology == one.topology && title(one).ends_with(difference.words);
  });
}

constexpr Difference kNotAsOpenMpi[] = {
    // NUMA nodes that have no cpus, or that we may use in part: it finds no cpus there and gives
    // up.
    {"no_cpu_numa", "-np 6"},
    {"no_cpu_numa", "--map-by numa --bind-to numa"},
    {"restricted", "-np 6"},
    {"restricted", "--map-by numa --bind-to numa"},
};

constexpr Difference kNotAsHydra[] = {
    // It binds to cpus 0, 1, ... whether or not we may use them.
    {"no_cpu_numa", "-bind-to rr"},
    {"restricted", "-bind-to rr"},
    // It does not leave NUMA nodes without cpus out.
    {"no_cpu_numa", "-bind-to numa"},
    {"no_cpu_numa", "-map-by numa:2"},
    // On packages of different size it starts the smaller one again in the middle.
    {"restricted", "-bind-to core -map-by socket"},
    {"restricted", "-bind-to hwthread:2 -map-by socket"},
};

void expect_same(const std::vector<Case>& all, std::span<const Difference> differences,
                 std::vector<std::string> (*ours)(const Case&)) {
  ASSERT_FALSE(all.empty());
  for (const Case& one : all) {
    if (is_among(one, differences)) {
      EXPECT_NE(one.lines, ours(one)) << title(one) << ": no difference any more";
    } else {
      EXPECT_EQ(one.lines, ours(one)) << title(one);
    }
  }
}

TEST(GoldenLaunchers, map_and_bind_as_open_mpi_does) {
  expect_same(cases("open_mpi"), kNotAsOpenMpi, as_open_mpi);
}

// One line of open_mpi_per_socket.txt.
struct Order {
  std::string topology;
  std::string words;
  std::string hosts;  // of the ranks, or "error"
};

std::vector<Order> orders() {
  std::vector<Order> result;
  std::istringstream lines(read("data/launchers/open_mpi_per_socket.txt"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    const std::size_t colon = line.rfind(": ");
    result.push_back(
        {line.substr(0, blank), line.substr(blank + 1, colon - blank - 1), line.substr(colon + 2)});
  }
  return result;
}

std::string hosts_of_ranks(const Order& one, const model::SharedTopology& hardware) {
  const auto words = split("-H a:8,b:8 " + one.words + " --bind-to none hostname", ' ');
  const auto reading =
      front::read_mpirun({.called = "mpirun", .words = words, .current_folder = "/"});
  if (!reading || !reading->request) return "error";
  const auto plan = planned(reading->request->spec, hardware);
  if (!plan) return "error";
  std::string hosts;
  for (const model::PlannedRank& rank : plan->ranks) {
    hosts += (hosts.empty() ? "" : " ") + plan->nodes[rank.node.value].host.name;
  }
  return hosts;
}

// What 4.1.4 does there is not done here.
bool is_otherwise(const Order& one) {
  const auto has = [&](std::string_view word) { return one.words.find(word) != std::string::npos; };
  // It refuses its older names beside others.
  if (one.hosts == "error") return has("-ppr ") || has("--by");
  // It checks its pattern only where nothing else is said.
  if ((has("-N 1") || has("-pernode")) && has("--map-by")) return true;
  // It takes the mapping of one and the numbering of the other.
  return has("policy") && (has("--map-by node") || (has("policy node") && has("--map-by ppr")));
}

TEST(GoldenLaunchers, options_for_sockets_count_in_every_order) {
  std::map<std::string, model::SharedTopology> machines;
  std::size_t compared = 0;
  for (const Order& one : orders()) {
    if (is_otherwise(one)) continue;
    auto machine = machines.find(one.topology);
    if (machine == machines.end()) {
      machine = machines.emplace(one.topology, topology(one.topology)).first;
    }
    EXPECT_EQ(hosts_of_ranks(one, machine->second), one.hosts) << one.topology << " " << one.words;
    ++compared;
  }
  EXPECT_GT(compared, 600U);
}

TEST(GoldenLaunchers, bind_as_hydra_does) { expect_same(cases("hydra"), kNotAsHydra, as_hydra); }

}  // namespace
}  // namespace muster::golden
