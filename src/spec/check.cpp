// Checks what no single option can: the spec as a whole, whichever front end made it.
#include "spec/check.hpp"

#include <algorithm>
#include <optional>

#include "spec/in_quotes.hpp"
#include "spec/limits.hpp"
#include "spec/notice.hpp"

namespace muster::spec {
namespace {

using base::Fault;
using base::Result;
using model::App;
using model::JobSpec;

template <class... Args>
tl::unexpected<base::Error> refuse(std::string_view option, std::string hint,
                                   fmt::format_string<Args...> text, Args&&... args) {
  return base::fail_at({std::string(option), 0, 0}, Fault::usage, std::move(hint), text,
                       std::forward<Args>(args)...);
}

Result<void> check_command(const App& app) {
  constexpr const char* example = "for example: muster run -n 2 python3 train.py";
  if (app.command.empty()) return base::fail(Fault::usage, example, "no program given");
  if (app.command.front().empty()) {
    return base::fail(Fault::usage, "is a shell variable empty?", "the program is an empty word");
  }
  return {};
}

Result<void> check_count(const char* option, std::optional<std::uint32_t> count) {
  if (!count || (*count >= 1 && *count <= model::kRanksMax)) return {};
  return refuse(option, "", "must be from 1 to {}, not {}", model::kRanksMax, *count);
}

Result<void> check_hosts(const JobSpec& spec) {
  if (spec.fake_nodes > kFakeNodesMax) {
    return refuse("--fake-nodes", "", "must be from 1 to {}, not {}", kFakeNodesMax,
                  spec.fake_nodes);
  }
  if (spec.fake_nodes > 0 && !spec.hosts.empty()) {
    return refuse("--fake-nodes", "remove the host list to simulate nodes on this machine",
                  "fake nodes and real hosts cannot be combined");
  }
  if (spec.hosts.empty() && spec.source.has_list) {
    return refuse(spec.source.option, "", "the host list is empty");
  }
  return {};
}

Result<void> check_stdin(const JobSpec& spec) {
  if (spec.input.to != model::StdinTo::one) return {};
  std::uint64_t end = 0;
  for (const App& app : spec.apps) end += app.ranks.value_or(model::kRanksMax);
  if (spec.input.rank.value < end) return {};
  return refuse("--stdin", fmt::format("ranks are 0 to {}", end - 1), "there is no rank {}",
                spec.input.rank.value);
}

Result<void> check_unset(const App& app, const model::EnvironmentRule& rule) {
  for (const model::EnvSetting& setting : app.exports) {
    if (setting.ours || std::ranges::count(rule.unset, setting.name) == 0) continue;
    return refuse("--unset", "keep one of them", "{} is to be set, too", in_quotes(setting.name));
  }
  return {};
}

Result<void> check_exports(const App& app) {
  for (const model::EnvSetting& setting : app.exports) {
    if (setting.name.empty() || setting.name.find('=') != std::string::npos) {
      return refuse("-x", "for example -x OMP_NUM_THREADS=4", "{} is not a variable name",
                    in_quotes(setting.name));
    }
  }
  return {};
}

double seconds(base::Duration time) { return std::chrono::duration<double>(time).count(); }

Result<void> check_time(const char* option, base::Duration time, Span span) {
  if (time >= span.least && time <= span.most) return {};
  return refuse(option, "", "must be from {:.15g} to {:.15g} seconds, not {:.15g}",
                seconds(span.least), seconds(span.most), seconds(time));
}

Result<void> check_carrier(const JobSpec& spec) {
  if (spec.carrier.command.empty() || spec.carrier.command.front().empty()) {
    return refuse("--ssh-command", "for example --ssh-command 'ssh -q'", "names no program");
  }
  if (spec.carrier.port > kPortMax) {
    return refuse("--ssh-port", "", "must be from 1 to {}, not {}", kPortMax, spec.carrier.port);
  }
  if (spec.carrier.parallel < 1 || spec.carrier.parallel > kOpenMax) {
    return refuse("--max-open", "", "must be from 1 to {}, not {}", kOpenMax,
                  spec.carrier.parallel);
  }
  return check_time("--start-timeout", spec.carrier.patience, kPatience);
}

Result<void> check_workdir(const App& app) {
  if (app.workdir.empty() || app.workdir.front() == '/') return {};
  return refuse("--workdir", "", "{} is not absolute", in_quotes(app.workdir));
}

Result<void> check_apps(const JobSpec& spec) {
  for (const App& app : spec.apps) {
    auto checked = check_command(app)
                       .and_then([&] { return check_count("-n", app.ranks); })
                       .and_then([&] { return check_exports(app); })
                       .and_then([&] { return check_unset(app, spec.environment); })
                       .and_then([&] { return check_workdir(app); });
    if (!checked) return checked;
  }
  return {};
}

Result<void> check_notice_of(const JobSpec& spec, bool allocates) {
  // A job of Slurm's has an end; whether it is known, only the run finds out.
  const bool has_outer_end = allocates || spec.source == model::kHostsAllocated;
  if (!spec.timeout && has_outer_end) return {};
  auto checked = check_notice(spec.notice, spec.timeout);
  if (!checked) checked.error().place = {"--notice", 0, 0};
  return checked;
}

}  // namespace

Result<void> check(const JobSpec& spec, bool allocates) {
  return check_apps(spec)
      .and_then([&] { return check_count("--per-node", spec.per_node); })
      .and_then([&] { return check_hosts(spec); })
      .and_then([&] { return check_stdin(spec); })
      .and_then([&] { return check_carrier(spec); })
      .and_then([&] { return check_time("--grace", spec.grace, kGrace); })
      .and_then([&] { return check_time("--lease", spec.lease, kLease); })
      .and_then([&] {
        return check_time("--init-timeout", spec.init_timeout.value_or(kTimeout.least), kTimeout);
      })
      .and_then(
          [&] { return check_time("--timeout", spec.timeout.value_or(kTimeout.least), kTimeout); })
      .and_then([&] { return check_notice_of(spec, allocates); });
}

}  // namespace muster::spec
