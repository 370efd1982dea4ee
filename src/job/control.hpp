// Control: steps that start nothing and decide which others run, and how often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/complaints.hpp"
#include "job/job_file.hpp"
#include "job/node.hpp"

namespace muster::job {

// What one pass of a parallel_for gives to inputs of its body.
struct Item {
  std::string name;  // "0", or its key
  std::vector<Named> values;
};

struct Control {
  enum class Kind : std::uint8_t { if_else, do_while, parallel_for } kind = Kind::if_else;

  std::optional<Text> condition;
  std::vector<Text> yes;  // steps that run if it holds, and if it does not
  std::vector<Text> no;

  struct Carried {
    Text output;  // of one pass
    Text input;   // of the next one
  };
  std::optional<Text> body;
  std::optional<std::size_t> body_step;  // among the same steps, once it has been found
  std::string says;                      // do_while: the output that says whether to go on
  std::vector<Carried> mapping;
  std::optional<Count> most;  // passes

  std::vector<Item> items;
  std::optional<Text> items_from;  // an expression in their place
};

// "true" or "false", in any case.
[[nodiscard]] std::optional<bool> truth_of(std::string_view text);

// The items that a list, a map or JSON text stands for. `at`: the place of all when they come from
// a text.
[[nodiscard]] std::vector<Item> items_of(const Node& node, std::optional<Mark> at,
                                         Complaints& complaints);
[[nodiscard]] std::vector<Item> items_in(const std::string& text, Mark at, Complaints& complaints);

// Reads a step of that kind.
[[nodiscard]] Control read_control(Control::Kind kind, const Node& node, Complaints& complaints);

}  // namespace muster::job
