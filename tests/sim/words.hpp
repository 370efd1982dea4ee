// Messages and effects as short words, for traces and transcripts.
#pragma once

#include <string>

#include "machine/head_machine.hpp"
#include "model/report.hpp"
#include "wire/messages.hpp"

namespace muster::sim {

[[nodiscard]] std::string words(const wire::ToAgent& message);
[[nodiscard]] std::string words(const wire::ToHead& message);
[[nodiscard]] std::string signal_name(std::int32_t number);
// "rank_failed: rank 1 on node1 exited with 3; exit code 3"
[[nodiscard]] std::string words(const model::RunReport& report);

}  // namespace muster::sim
