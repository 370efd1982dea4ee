// Waiting: what people are told of a wait: for what, since when and until when. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace muster::view {

class Waiting {
 public:
  // `most`: its limit; `of` says of what, if not of the whole: "for one attempt".
  explicit Waiting(base::Duration most, std::string_view of = {}) : most_(most), of_(of) {}

  // "waiting for node1 (3 s so far, at most 15 s)"; nothing: these words have been told, and time
  // alone is no news.
  [[nodiscard]] std::optional<std::string> tell(const std::string& words, base::Duration waited);

  bool operator==(const Waiting&) const = default;

 private:
  base::Duration most_;
  std::string_view of_;
  std::string told_;
};

}  // namespace muster::view
