// survey: what lies in a folder and would be part of its snapshot. Reads no file's content.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/error.hpp"
#include "blobs/goes_on.hpp"
#include "snapshot/manifest.hpp"

namespace muster::blobs {

struct LeftOut {
  std::string path;
  std::string_view why;  // "a fifo"
  bool holds = false;    // what somebody may miss: it is a file, or a folder
};

// A link whose target lies outside, which is kept with the absolute path of that place.
struct LeadsOut {
  std::string path;
  std::string target;
};

struct Survey {
  snapshot::Manifest manifest;  // without hashes
  std::vector<LeftOut> left_out;
  std::vector<LeadsOut> leads_out;
};

struct SurveyOptions {
  std::string excluded = {};  // a folder that is no part of it: that of the records
  // Whatever ignore files say; links are taken as they are, and what cannot be read is left out.
  bool everything = false;
  GoesOn goes_on = {};  // asked before each entry
};

// Heeds `.amlignore` at its root, else the `.gitignore` of each folder; `.git` is never a part.
[[nodiscard]] base::Result<Survey> survey(const std::string& folder,
                                          const SurveyOptions& options = {});

// Of what is neither file, folder nor link: "a fifo".
[[nodiscard]] std::string_view odd_kind(mode_t mode);

// Why something is left out, in words.
[[nodiscard]] std::string_view word_of_error(int error);

// Nothing wrong when its files have no more bytes than `limit`; else which entries of the folder
// are the largest.
[[nodiscard]] base::Result<void> check_limit(const Survey& survey, const std::string& folder,
                                             std::uint64_t limit);

}  // namespace muster::blobs
