// Command lines that a hint offers: what was typed stays in them, and they can be pasted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.hpp"
#include "front/request.hpp"

namespace muster::cli {

// The line as it was typed, but for one of its words.
[[nodiscard]] std::string typed_instead(const Invocation& invocation, const std::string& word,
                                        const std::string& meant);

// What stops a run, which may be another user's where the request allows for that.
[[nodiscard]] std::string typed_stop(const front::RecordRequest& request, const std::string& run);

// A line with these words in front ("muster ps") and the user's own behind them; empty where muster
// would not understand it. Files are not read for that.
[[nodiscard]] std::string understood_line(std::string_view front_words,
                                          const std::vector<std::string>& own);

}  // namespace muster::cli
