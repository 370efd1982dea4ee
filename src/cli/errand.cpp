// The head's side: a spec of its own for each errand.
#include "cli/errand.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "cli/head_options.hpp"
#include "cli/prospect.hpp"
#include "front/output_styles.hpp"
#include "head/head.hpp"
#include "process/unique_fd.hpp"

namespace muster::cli {
namespace {

// What the head reads from its stdin, as long as this lives.
class Stdin {
 public:
  explicit Stdin(int file) : before_(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)) {
    if (file >= 0) (void)::dup2(file, STDIN_FILENO);
  }
  ~Stdin() {
    if (before_) (void)::dup2(before_.get(), STDIN_FILENO);
  }
  Stdin(const Stdin&) = delete;
  Stdin& operator=(const Stdin&) = delete;

 private:
  process::UniqueFd before_;
};

model::JobSpec spec_of(const Errand& errand, const model::JobSpec& like) {
  model::JobSpec spec;
  spec.carrier = like.carrier;
  spec.lease = like.lease;
  spec.names_are_hosts = like.names_are_hosts;
  spec.verbose = false;
  spec.launchers = {"muster"};  // on each host's PATH, wherever the agent there lies
  spec.wireup = model::Wireup::none;
  spec.python_errors = false;
  spec.per_node = 1;
  spec.output = front::muster_output({.logs = errand.folder, .logs_only = true});
  spec.output.answers = true;
  if (errand.input >= 0) spec.input.to = model::StdinTo::all;
  model::App& app = spec.apps.front();
  app.command = {"muster", "errand"};
  app.command.insert(app.command.end(), errand.words.begin(), errand.words.end());
  app.ranks = static_cast<std::uint32_t>(errand.hosts.size());
  app.workdir = "/";
  app.exports = errand.exports;
  return spec;
}

model::RunReport failed(base::Error error) {
  model::RunReport report;
  report.cause = model::Cause::fault;
  report.error = std::move(error);
  return report;
}

// What it has told on stderr, or how it ended where it told nothing.
base::Error told_by(const model::RunReport& report) {
  constexpr std::string_view kError = "muster: error: ";
  constexpr std::string_view kHint = "  hint: ";
  const bool is_fault = report.first.signal == 0 && base::looks_like_fault(report.first.code);
  base::Error error{
      is_fault ? static_cast<base::Fault>(report.first.code - base::exit_code(base::Fault::usage))
               : base::Fault::lost,
      fmt::format("muster's errand there ended with code {}", report.first.exit_code()),
      {},
      {}};
  for (const std::string& line : report.tail) {
    if (line.starts_with(kError)) error.what = line.substr(kError.size());
    if (line.starts_with(kHint)) error.hint = line.substr(kHint.size());
  }
  error.what = fmt::format("{}: {}", report.host, error.what);
  return error;
}

}  // namespace

// The rank of an errand is muster itself: people have started none, and its code is muster's.
model::RunReport as_muster_has_failed(const model::RunReport& report) {
  return report.cause == model::Cause::rank_failed ? failed(told_by(report)) : report;
}

model::RunReport run_errand(const Errand& errand, const model::JobSpec& like,
                            const Invocation& invocation) {
  model::Inventory inventory;
  inventory.hosts = errand.hosts;
  for (model::Host& host : inventory.hosts) {
    host.slots = 1;
    host.slots_are_cores = false;
    host.visible.clear();
  }
  auto job = prospect(spec_of(errand, like), std::move(inventory), invocation.environment);
  if (!job) return failed(std::move(job.error()));
  head::HeadOptions options = head_options(invocation);
  options.input.spec = std::move(job->spec);
  options.input.plan = std::move(job->plan);
  options.input.kept = std::move(job->kept);
  options.tick = errand.tick;
  const Stdin input(errand.input);
  auto report = invocation.heads.run(std::move(options));
  return report ? as_muster_has_failed(*report) : failed(std::move(report.error()));
}

std::string answer_file(const Errand& errand, std::size_t host) {
  const std::size_t width = std::to_string(errand.hosts.size() - 1).size();
  return fmt::format("{}/rank.{:0{}}/stdout", errand.folder, host, width);
}

}  // namespace muster::cli
