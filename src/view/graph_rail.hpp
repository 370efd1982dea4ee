// graph_rail: the edges of a graph as one line of characters for each of its nodes. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace muster::view {

// `after`: for each node those that it comes after, each with a smaller index. The lines are to be
// printed below each other, each before its node's name:
//
//   ○    prepare
//   ├─●  train
//   ●─╯  compare
//
// A node that comes after none is ○: what is above it in its column has nothing to do with it.
// More edges at the same time than fit into `columns` are not drawn.
[[nodiscard]] std::vector<std::string> graph_rail(
    const std::vector<std::vector<std::size_t>>& after, std::size_t columns = 20);

}  // namespace muster::view
