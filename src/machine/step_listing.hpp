// What Slurm says of the steps of a job. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::machine {

// squeue -h -s -j JOB -o this
inline constexpr std::string_view kStepFormat = "%i|%j|%N";

// The steps on a host, of which none is called `own`: "1.0 (sleep)". Nothing: one is. Steps of
// Slurm's own (batch, extern, interactive) hold nothing.
[[nodiscard]] std::optional<std::vector<std::string>> holders_of(std::string_view host,
                                                                 std::string_view listing,
                                                                 std::string_view own);

}  // namespace muster::machine
