// Kubectl: the user's own kubectl as the way to a cluster, with the access that it has.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace muster::cluster {

// What kubectl's own options say of where to go; empty: as its configuration says.
struct Place {
  std::string context;
  std::string space;  // the namespace
};

enum class Refusal : std::uint8_t {
  other,
  no_program,   // kubectl is not here
  unreachable,  // nobody answers: it may pass
  forbidden,    // the user may not do it
  absent,       // there is no such object
  exists,       // an object has that name
  quota,        // the namespace has no room
  invalid,      // the server does not take the object
};

struct Refused {
  Refusal kind = Refusal::other;
  base::Error error;  // one line, with what to do
};

template <class T>
using Answered = tl::expected<T, Refused>;

// What kubectl has said on its stderr, in one line. `place` is where it was to go. Pure.
[[nodiscard]] Refused refused(std::string_view said, const Place& place);

class Kubectl {
 public:
  // `environment`: of this process; KUBECONFIG and proxies hold as for kubectl itself.
  Kubectl(Place place, std::vector<std::string> environment)
      : place_(std::move(place)), environment_(std::move(environment)) {}

  [[nodiscard]] const Place& place() const { return place_; }
  [[nodiscard]] const std::vector<std::string>& environment() const { return environment_; }

  // Calls that end by themselves, within 30 seconds, or with a signal that is held back: that is
  // Refusal::unreachable. `words` follow kubectl's own; the answer is what it prints.
  [[nodiscard]] Answered<std::string> ask(const std::vector<std::string>& words,
                                          std::string_view input = {}) const;

  // Likewise, but no signal ends it: what it is to stop or to delete would go on, and whoever
  // presses Ctrl-C wants that least of all.
  [[nodiscard]] Answered<void> order(const std::vector<std::string>& words) const;

  // A call that feeds a program in the cluster, however long it takes, unless a signal is held
  // back: `input` is a file that can be read from here on, or -1.
  [[nodiscard]] Answered<std::string> feed(const std::vector<std::string>& words, int input) const;

  // A call whose answer may be of any length: its pieces come as they are printed, and more of them
  // for as long as `heard` says that they are wanted. 30 seconds of silence are
  // Refusal::unreachable.
  [[nodiscard]] Answered<void> stream(const std::vector<std::string>& words,
                                      const std::function<bool(std::string_view)>& heard) const;

  // A call that goes on: what it prints comes as it is printed, while `goes_on` says so.
  [[nodiscard]] Answered<void> follow(const std::vector<std::string>& words,
                                      const std::function<void(std::string_view)>& heard,
                                      const std::function<bool()>& goes_on) const;

 private:
  using GoesOn = std::function<bool()>;

  [[nodiscard]] Answered<std::string> answer_of(const std::vector<std::string>& words, int input,
                                                const GoesOn& goes_on) const;
  [[nodiscard]] std::vector<std::string> whole(const std::vector<std::string>& words) const;

  Place place_;
  std::vector<std::string> environment_;
};

}  // namespace muster::cluster
