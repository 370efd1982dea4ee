// host_words: a list of hosts that is given in several words.
#pragma once

#include <string>

#include "base/error.hpp"
#include "front/table.hpp"

namespace muster::front {

// -H a -H b is -H a,b. The draft has a member `host_list`, nothing until the first.
template <class Draft>
base::Result<void> join_hosts(Draft& draft, const Typed& typed) {
  if (draft.host_list) *draft.host_list += ",";
  draft.host_list = draft.host_list.value_or("") + std::string(typed.value);
  return {};
}

}  // namespace muster::front
