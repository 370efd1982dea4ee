// Parallel: a function that is called with data in small batches, by many processes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "job/node.hpp"
#include "job/text.hpp"

namespace muster::job {

struct Parallel {
  std::optional<Text> data;        // the input that is cut: "${{inputs.x}}"
  std::optional<Text> batch_size;  // files ("5"), or bytes ("10kb") of tables
  std::vector<Text> partition_keys;
  std::optional<Count> per_node;         // processes
  std::optional<Text> items_may_fail;    // so many; -1: any number
  std::optional<Text> batches_may_fail;  // likewise
  std::optional<Text> logging_level;
  std::optional<Text> retries;        // of a batch
  std::optional<Text> batch_timeout;  // seconds
  std::optional<Text> code;           // folder of the script
  std::optional<Text> script;         // with init() and run(batch)
  std::optional<Text> arguments;      // of the script; may hold expressions
  std::optional<Text> append_to;      // "${{outputs.x}}": a file for what run() returns
};

}  // namespace muster::job
