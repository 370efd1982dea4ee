// The exit code of a run, from its report.
#include "model/report.hpp"

#include "base/check.hpp"

namespace muster::model {

int RunReport::exit_code() const {
  switch (cause) {
    case Cause::completed:
      return 0;
    case Cause::rank_failed:
      return first.exit_code();
    case Cause::fault:
      return base::exit_code(error.fault);
    case Cause::interrupted:
      return 128 + signal;
  }
  CHECK(false);
}

}  // namespace muster::model
