// The options of the commands for runs on record.
#pragma once

#include <span>

#include "front/hosts.hpp"
#include "front/request.hpp"
#include "front/table.hpp"

namespace muster::front {

struct RecordDraft {
  RecordRequest request;
  NamedHosts hosts = {};
  std::string target = {};
  bool help = false;
};

[[nodiscard]] std::span<const Option<RecordDraft>> record_table(RecordVerb verb);

}  // namespace muster::front
