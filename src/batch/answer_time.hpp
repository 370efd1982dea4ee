// Points in time as answers of batch systems spell them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/record.hpp"

namespace muster::batch {

// "2026-11-25T17:08:45+0100", as Slurm writes it where SLURM_TIME_FORMAT is %FT%T%z. Nothing for a
// text of another form.
[[nodiscard]] std::optional<model::Utc> zoned_time(std::string_view text);

// "Wed Nov  5 17:08:45 2026", as ctime(3) writes it in the C locale, of UTC. Likewise.
[[nodiscard]] std::optional<model::Utc> ctime_time(std::string_view text);

// "2026-11-23 22:50" of "2026-11-23T22:50:07" with whatever follows, since nobody waits for
// seconds: in the zone of who wrote it. Empty: it is written in another form, such as the seconds
// since 1970 of some Grid Engines.
[[nodiscard]] std::string minute_in(std::string_view text);

}  // namespace muster::batch
