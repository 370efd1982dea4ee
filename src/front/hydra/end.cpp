// The one place where Hydra's rules for failures become muster's.
#include "front/hydra/end.hpp"

#include "front/call.hpp"
#include "option/values.hpp"

namespace muster::front {
namespace {

using base::Result;

// 0 and less are no limit.
Result<void> take_timeout(HydraDraft& draft) {
  const auto limit = variable(*draft.call, "MPIEXEC_TIMEOUT");
  if (!limit || limit->empty() || *limit == "0" || limit->starts_with('-')) return {};
  return option::read_seconds({"MPIEXEC_TIMEOUT", *limit}, spec::kTimeout)
      .map([&](base::Duration time) { draft.request.spec.timeout = time; });
}

}  // namespace

Result<void> settle_hydra_end(HydraDraft& draft) {
  const bool after_signals = !draft.end.auto_cleanup;
  draft.request.spec.failure = {
      after_signals ? model::OnFailure::outlive_all : model::OnFailure::outlive_codes,
      model::ExitStyle::hydra, false};
  if (draft.end.print_exit_codes) {
    add_once(draft.notices, "-print-all-exitcodes has no effect here");
  }
  return take_timeout(draft);
}

}  // namespace muster::front
