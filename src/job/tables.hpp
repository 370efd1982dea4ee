// The tables of keys, one for each dialect of job files.
#pragma once

#include "job/key.hpp"

namespace muster::job {

using JobKey = Key<JobFile>;
using JobTable = Table<JobFile>;

[[nodiscard]] JobTable native_keys();
[[nodiscard]] JobTable draft_keys();
[[nodiscard]] JobTable component_keys();
[[nodiscard]] JobTable command_keys();

[[nodiscard]] JobTable table_of(Dialect dialect);

// "a command job", as in "unknown key 'x': ...".
[[nodiscard]] std::string_view word(Dialect dialect);

// "distribution belongs to a command job; ...", or "" for a key that no other dialect has.
[[nodiscard]] std::string elsewhere(const Node& root, std::string_view key);

// The dialect that a file is written in, by the keys that only one of them has.
[[nodiscard]] Dialect dialect_of(const Node& root);

}  // namespace muster::job
