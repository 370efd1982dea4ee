// Proxy: carries bytes between the ranks' connections and the PMIx library's.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "pmix/gate.hpp"
#include "process/unique_fd.hpp"

namespace muster::pmix {

// Never blocks. Of connections that have not greeted it keeps at most 512, and no more than a
// quarter of the descriptors that this process may have; the oldest make room. A connection reaches
// the library only when its user is ours and its greeting is complete, because the library makes
// all its clients wait for the rest of a greeting.
class Proxy {
 public:
  Proxy(process::UniqueFd listener, const Gate& gate);

  // Appends what to wait for, an entry for each descriptor at most; served() takes the same entries
  // after poll().
  void wanted(std::vector<pollfd>& entries) const;
  [[nodiscard]] base::Result<void> served(const pollfd* entries);

 private:
  // One way of a pair; what could not be written is held, and nothing more is read until it is.
  struct Way {
    std::string held;
    bool ended = false;
  };
  struct Pair {
    process::UniqueFd rank;
    process::UniqueFd library;  // none until the greeting is complete
    Way inward;
    Way outward;
  };
  void accept_some();
  bool make_room(std::size_t most);
  [[nodiscard]] base::Result<void> greet(Pair& pair);
  static void carry(const process::UniqueFd& from, const process::UniqueFd& to, Way& way);
  static bool is_over(const Pair& pair);

  process::UniqueFd listener_;
  Gate gate_;
  std::size_t silent_max_;
  std::list<Pair> pairs_;
};

// How many bytes a client's greeting has; 0 while too little of it is known. Nothing when the
// library would not take it.
[[nodiscard]] std::optional<std::size_t> greeting_size(std::string_view bytes);

}  // namespace muster::pmix
