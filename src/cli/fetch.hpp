// fetch: a file by its http: or https: address. Its content is kept beside all records, once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace muster::cli {

// The text of fetch.py, which the build embeds.
extern const std::string_view kFetchProgram;

// Seconds for which nothing may come; default: 60.
inline constexpr const char* kFetchTimeout = "MUSTER_FETCH_TIMEOUT";

struct Fetched {
  std::string hash;
  std::uint64_t size = 0;
};

// What is to be fetched, and the file that it becomes.
struct ToFetch {
  std::string address;
  std::string sha256;   // that it must have; empty: any
  std::string file;     // which is not there; its folder is
  std::string records;  // the folder of all records
};

// A content whose digest is given, and is here, is not asked for; any other only comes anew when it
// has changed, as its ETag or its time says. Fault::bad_file for all that may go wrong there,
// Fault::output where the file cannot be written.
[[nodiscard]] base::Result<Fetched> fetch(const ToFetch& what,
                                          const std::vector<std::string>& environment);

}  // namespace muster::cli
