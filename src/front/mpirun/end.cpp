// The one place where Open MPI's rules for failures become muster's.
#include "front/mpirun/end.hpp"

#include "base/words.hpp"
#include "option/values.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;

struct Setting {
  std::string key;  // lower case, '_' as '-'
  std::string value;
  bool has_value = false;

  [[nodiscard]] bool on() const {
    const std::string word = base::lower(value);
    return !has_value || word == "1" || word == "true" || word == "yes";
  }
};

Setting cut(std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  Setting setting{base::lower(text.substr(0, equals)), "", equals < text.size()};
  for (char& c : setting.key) c = c == '_' ? '-' : c;
  if (setting.has_value) setting.value = text.substr(equals + 1);
  return setting;
}

// Nothing for a key that is not known.
std::optional<Result<void>> apply(MpirunDraft& draft, const Typed& typed, const Setting& setting) {
  const auto is = [&](std::string_view full) {
    return setting.key.size() > 1 && full.starts_with(setting.key);
  };
  const std::string name = fmt::format("{} {}", typed.option, setting.key);
  if (is("error-nonzero-status")) {
    draft.end.go_on_after_code = !setting.on();
  } else if (is("recoverable") || is("continuous") || is("autorestart")) {
    draft.end.go_on_after_anything = setting.on();
  } else if (is("max-restarts")) {
    return set_max_restarts(draft, {name, setting.value});
  } else if (is("timeout")) {
    return set_timeout(draft, {name, setting.value});
  } else if (is("donotlaunch")) {
    draft.request.do_not_launch = setting.on();
  } else if (is("report-state-on-timeout")) {
    draft.end.tell_state = setting.on();
  } else if (is("get-stack-traces")) {
    draft.end.tell_stacks = setting.on();
  } else if (is("spawn-timeout") || is("show-progress") || is("notifyerrors") || is("exec-agent") ||
             is("default-exec-agent") || is("output-proctable") ||
             is("report-child-jobs-separately") || is("stop-on-exec") || is("stop-in-init") ||
             is("stop-in-app")) {
    notice(draft, name + " has no effect here");
  } else if (!is("aggregate-help-messages") && !is("fwd-environment")) {
    return std::nullopt;  // those two are what muster does anyway
  }
  return Result<void>();
}

}  // namespace

// 0 is no limit, as for MPIEXEC_TIMEOUT.
Result<void> set_timeout(MpirunDraft& draft, const Typed& typed) {
  if (typed.value == "0") return {};
  const auto time = option::read_seconds(typed, spec::kTimeout);
  if (!time) return tl::unexpected(time.error());
  draft.request.spec.timeout = *time;
  return {};
}

Result<void> set_max_restarts(MpirunDraft& draft, const Typed& typed) {
  const auto count = read_count(typed, {0, 1'000'000});
  if (!count) return tl::unexpected(count.error());
  draft.end.restarts = *count;
  return {};
}

Result<void> set_runtime_options(MpirunDraft& draft, const Typed& typed) {
  for (const std::string& part : base::split(typed.value, ",")) {
    const auto done = apply(draft, typed, cut(part));
    if (!done) {
      return fail(Fault::usage, "", "{} knows no {}", typed.option, spec::in_quotes(part));
    }
    if (!*done) return *done;
  }
  return {};
}

Result<void> settle_mpirun_end(MpirunDraft& draft) {
  model::JobSpec& spec = draft.request.spec;
  if (const auto limit = variable(*draft.call, "MPIEXEC_TIMEOUT"); limit && *limit != "0") {
    const auto time = option::read_seconds({"MPIEXEC_TIMEOUT", *limit}, spec::kTimeout);
    if (!time) return tl::unexpected(time.error());
    if (spec.timeout && *spec.timeout != *time) {
      return fail(Fault::usage, "unset MPIEXEC_TIMEOUT, or leave --timeout out",
                  "--timeout differs from MPIEXEC_TIMEOUT={}", *limit);
    }
    spec.timeout = *time;
  }
  spec.failure.code = model::ExitStyle::open_mpi;
  if (draft.end.go_on_after_code) spec.failure.others = model::OnFailure::outlive_codes;
  if (draft.end.go_on_after_anything) spec.failure.others = model::OnFailure::outlive_all;
  if (draft.end.restarts.value_or(0) > 0) {
    notice(draft, "a rank that failed is not started again: --max-restarts has no effect");
  }
  spec.state_at_timeout = draft.end.tell_state;
  spec.stacks_at_timeout = draft.end.tell_stacks;
  return {};
}

}  // namespace muster::front
