// Property: ranks on any number of nodes that put, fence and get see one map, as if there were one
// node; and the text of any placement says that placement.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "unit/plan/expand_mapping.hpp"
#include "unit/pmi/naive_head.hpp"

namespace muster::pmi {
namespace {

// Sizes grow with the run; choices are to be tried in full from the first.
std::uint32_t fewer_than(std::uint32_t end) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0u, end));
}

// A few keys, so that ranks overwrite each other's.
std::string key() { return "key" + std::to_string(fewer_than(12)); }
std::string value() {
  std::string text = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  text.resize(std::min(text.size(), kValueMax));
  return text;
}

std::vector<std::uint32_t> placement(std::uint32_t nodes, std::uint32_t ranks) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    out.push_back(rank < nodes ? rank : fewer_than(nodes));
  return out;
}

std::vector<PmiWorld> worlds(std::uint32_t nodes, const std::vector<std::uint32_t>& node_of) {
  std::vector<PmiWorld> out;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    WorldSpec spec;
    spec.kvs_name = "kvs";
    spec.size = static_cast<std::uint32_t>(node_of.size());
    for (std::size_t rank = 0; rank < node_of.size(); ++rank)
      if (node_of[rank] == node) spec.tasks.push_back({base::Rank(rank), 0});
    out.emplace_back(spec);
  }
  return out;
}

// The real thing and the one map it must equal.
class Job {
 public:
  Job(std::uint32_t nodes, std::uint32_t ranks)
      : node_of_(placement(nodes, ranks)),
        mine_(ranks),
        head_(worlds(nodes, node_of_),
              [this](base::Rank to, const Reply& reply) { replies_[to].push_back(reply); }) {}

  void put(std::uint32_t rank) {
    const std::string at = key(), what = value();
    RC_ASSERT(ask(rank, Put{"kvs", at, what}) == Reply{Done{}});
    mine_[rank][at] = what;
  }

  void get(std::uint32_t rank) {
    const std::string at = key();
    const Reply reply = ask(rank, Get{"kvs", at});
    const auto own = mine_[rank].find(at);
    const auto all = visible_.find(at);
    if (own != mine_[rank].end())
      RC_ASSERT(reply == Reply{Text{own->second}});
    else if (all != visible_.end())
      RC_ASSERT(reply == Reply{Text{all->second}});
    else
      RC_ASSERT(reply == Reply{NotFound{}});
  }

  // In any order of arrival. Of two puts the higher node's counts, then the higher rank's.
  void fence() {
    std::vector<std::uint32_t> order(node_of_.size());
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[fewer_than(static_cast<std::uint32_t>(i))]);
    for (const std::uint32_t rank : order) {
      RC_ASSERT(replies_.empty());
      head_.request(node_of_[rank], base::Rank(rank), Barrier{});
    }
    RC_ASSERT(replies_.size() == node_of_.size());
    replies_.clear();
    RC_ASSERT(head_.error == "");
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(node_of_[a], a) < std::pair(node_of_[b], b);
    });
    for (const std::uint32_t rank : order) {
      for (const auto& [at, what] : mine_[rank]) visible_[at] = what;
      mine_[rank].clear();
    }
  }

 private:
  Reply ask(std::uint32_t rank, const Request& request) {
    head_.request(node_of_[rank], base::Rank(rank), request);
    RC_ASSERT(replies_.size() == 1u && replies_.begin()->first == base::Rank(rank));
    const std::vector<Reply> got = replies_.begin()->second;
    replies_.clear();
    RC_ASSERT(got.size() == 1u);
    return got.front();
  }

  std::vector<std::uint32_t> node_of_;
  std::vector<std::map<std::string, std::string>> mine_;
  std::map<std::string, std::string> visible_;
  std::map<base::Rank, std::vector<Reply>> replies_;
  test::NaiveHead head_;
};

RC_GTEST_PROP(PmiWorlds, SeveralAreOneMap, ()) {
  const std::uint32_t nodes = 1 + fewer_than(4);
  const std::uint32_t ranks = nodes + fewer_than(6);
  Job job(nodes, ranks);
  for (std::uint32_t steps = fewer_than(80); steps > 0; --steps) {
    const std::uint32_t what = fewer_than(10);
    if (what == 0)
      job.fence();
    else if (what < 5)
      job.put(fewer_than(ranks));
    else
      job.get(fewer_than(ranks));
  }
}

RC_GTEST_PROP(PmiMapping, AnyPlacementIsSaid, ()) {
  const std::uint32_t nodes = 1 + fewer_than(6);
  const std::vector<std::uint32_t> placed = placement(nodes, nodes + fewer_than(40));
  RC_ASSERT(plan::test::expand_mapping(plan::process_mapping(placed), placed.size()) == placed);
}

// As plans are made: full nodes, or one rank each in turn until all are full.
RC_GTEST_PROP(PmiMapping, PlansAreSaid, ()) {
  std::vector<std::uint32_t> slots, block, turns;
  for (std::uint32_t node = 0, nodes = 1 + fewer_than(6); node < nodes; ++node)
    slots.push_back(1 + fewer_than(5));
  for (std::uint32_t node = 0; node < slots.size(); ++node)
    block.insert(block.end(), slots[node], node);
  for (std::uint32_t turn = 0; turn < 5; ++turn)
    for (std::uint32_t node = 0; node < slots.size(); ++node)
      if (turn < slots[node]) turns.push_back(node);
  RC_ASSERT(plan::test::expand_mapping(plan::process_mapping(block), block.size()) == block);
  RC_ASSERT(plan::test::expand_mapping(plan::process_mapping(turns), turns.size()) == turns);
}

}  // namespace
}  // namespace muster::pmi
