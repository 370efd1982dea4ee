// Output by Hydra's rules.
#include "front/hydra/output.hpp"

#include <utility>

#include "front/call.hpp"
#include "option/values.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;

// Hydra keeps one prefix for both options.
Result<void> check_one_prefix(const HydraDraft& draft, const Typed& typed) {
  if (!draft.output.prepend_rank && !draft.output.prepend_pattern) return {};
  return fail(Fault::usage, "keep one of them", "{}: a prefix is given already", typed.option);
}

Result<void> set_file(HydraDraft& draft, const Typed& typed, std::string& to) {
  return read_text(typed).map([&](const std::string& text) { to = absolute(*draft.call, text); });
}

}  // namespace

Result<void> set_hydra_prepend_rank(HydraDraft& draft, const Typed& typed) {
  return check_one_prefix(draft, typed).map([&] { draft.output.prepend_rank = true; });
}

Result<void> set_hydra_prepend_pattern(HydraDraft& draft, const Typed& typed) {
  return check_one_prefix(draft, typed).map([&] {
    draft.output.prepend_pattern = std::string(typed.value);
  });
}

Result<void> set_hydra_outfile(HydraDraft& draft, const Typed& typed) {
  return set_file(draft, typed, draft.output.outfile);
}

Result<void> set_hydra_errfile(HydraDraft& draft, const Typed& typed) {
  return set_file(draft, typed, draft.output.errfile);
}

Result<void> set_hydra_output_from(HydraDraft& draft, const Typed& typed) {
  return read_count(typed, {0, model::kRanksMax - 1}).map([&](std::uint32_t rank) {
    draft.output.from = base::Rank(rank);
  });
}

Result<void> settle_hydra_output(HydraDraft& draft) {
  return hydra_output(draft.output).map([&](model::OutputSpec output) {
    draft.request.spec.output = std::move(output);
  });
}

}  // namespace muster::front
