// The values of options: text to numbers, times and the like, with errors that name the option.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/time.hpp"
#include "model/job_spec.hpp"
#include "option/option.hpp"
#include "spec/limits.hpp"
#include "spec/number.hpp"

namespace muster::option {

[[nodiscard]] base::Result<std::uint32_t> read_count(const Typed& typed, spec::Bounds bounds);

// "10" or "0.25"; three decimals count.
[[nodiscard]] base::Result<base::Duration> read_seconds(const Typed& typed, spec::Span span);

// "USR1@60" or "SIGUSR1@60": a signal that can be caught, and seconds.
[[nodiscard]] base::Result<model::Notice> read_notice(const Typed& typed);

[[nodiscard]] base::Result<model::OnFailure> read_on_failure(const Typed& typed);
// "continue": true; "end": false.
[[nodiscard]] base::Result<bool> read_closed_terminal(const Typed& typed);
[[nodiscard]] base::Result<model::Wireup> read_wireup(const Typed& typed);

// A rank, "all" or "none".
[[nodiscard]] base::Result<model::StdinSpec> read_stdin_to(const Typed& typed);

// "all" or ranks such as "0,4-7"; empty: all.
[[nodiscard]] base::Result<std::set<std::uint32_t>> read_shown_ranks(const Typed& typed);

// NAME or NAME=VALUE.
[[nodiscard]] base::Result<model::EnvSetting> read_setting(const Typed& typed);

// Any text but the empty one, for files and folders.
[[nodiscard]] base::Result<std::string> read_text(const Typed& typed);

// Words split as a shell does: blanks separate, '...', "..." and \ hold together; nothing expands.
[[nodiscard]] base::Result<std::vector<std::string>> read_words(const Typed& typed);

}  // namespace muster::option
