// What older files and SDKs of Azure ML call keys and types, and what to write for them now. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace muster::job {

struct WrittenNow {
  std::string hint;
  std::string key;  // that holds it now; empty: the file is another kind of file now
};

// Whether a map may have a key, and one of that name below it ("": any).
using HasKey = std::function<bool(std::string_view key, std::string_view below)>;

// What to write for an unknown key of the map at `path` ("" or "distribution."); nothing if it is
// no old name.
[[nodiscard]] std::optional<WrittenNow> written_now(std::string_view old, std::string_view path,
                                                    const HasKey& has);

// Of a type of the SDKs, where the types are these, with blanks between: a hint, or "".
[[nodiscard]] std::string type_written_now(std::string_view old, std::string_view choices);

}  // namespace muster::job
