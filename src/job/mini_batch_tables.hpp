// mini_batch_tables: the part of a parallel job's program that reads tables.
#pragma once

#include <string_view>

namespace muster::job {

// The text of mini_batch_tables.py, which the build embeds; that of mini_batches.py follows it.
extern const std::string_view kMiniBatchTables;

}  // namespace muster::job
