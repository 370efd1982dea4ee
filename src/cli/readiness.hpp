// Errands that make something ready on hosts, which may take long: what they answer as they go
// along, and what a person sees of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cli/errand.hpp"

namespace muster::cli {

// ---- on a host ----

// Writes lines to stdout; those about what it is doing not too often.
class ReadyAnswer {
 public:
  void doing(std::string_view what);
  // The last one; both return the exit code.
  int ready(std::string_view what);
  int failed(const base::Error& error);

 private:
  std::chrono::steady_clock::time_point next_;
};

// ---- beside the head ----

struct Readiness {
  std::string doing;                 // the last thing that it said so
  std::optional<std::string> ready;  // what it has at the end
  std::optional<base::Error> failed;
};
[[nodiscard]] Readiness read_readiness(std::string_view answer);

struct MadeReady {
  model::RunReport report;         // Cause::completed: all is well
  std::vector<std::string> ready;  // what each host has
};

// Carries the errand out, and shows how far it is: on a terminal one line that is written again and
// again, else a line when it takes long. `what`: "packages". What fails on a host is told with its
// name.
[[nodiscard]] MadeReady make_ready(Errand errand, const std::string& what,
                                   const model::JobSpec& like, const Invocation& invocation);

}  // namespace muster::cli
