// Starts a command of the system, and waits for what it says.
#include "queue/commands.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/words.hpp"
#include "process/converse.hpp"
#include "process/signal_mask.hpp"
#include "process/unique_fd.hpp"
#include "process/write_all.hpp"

namespace muster::queue {
namespace {

using batch::Refusal;
using batch::Sight;

// slurmctld that is busy, or gone: its clients try for a minute or more.
constexpr base::Duration kAnswerWithin = std::chrono::seconds(30);
// Once it is cut off, nobody knows whether the job is there.
constexpr base::Duration kHandOverWithin = std::chrono::minutes(5);

Refusal no_answer(const batch::System& system, const std::string& program, base::Duration limit,
                  std::string hint = {}) {
  return {{base::Fault::unreachable,
           fmt::format("{} does not answer: {} said nothing for {} s", system.name, program,
                       std::chrono::duration_cast<std::chrono::seconds>(limit).count()),
           std::move(hint),
           {}}};
}

// The answers are read by us: in the language that is theirs by default, with times in a known
// form, and without what a person usually leaves out of them (squeue(1), sacct(1), ENVIRONMENT
// VARIABLES).
std::vector<std::string> plain(std::vector<std::string> environment, std::string_view asked_with) {
  const std::array<std::string_view, 6> changes = {asked_with.substr(0, asked_with.find('=') + 1),
                                                   "SLURM_CLUSTERS=",
                                                   "SQUEUE_",
                                                   "SACCT_",
                                                   "SCANCEL_",
                                                   "LC_ALL="};
  std::erase_if(environment, [&](const std::string& one) {
    return std::ranges::any_of(changes, [&](auto begin) { return one.starts_with(begin); });
  });
  environment.emplace_back(asked_with);
  environment.emplace_back("LC_ALL=C");
  return environment;
}

// What it was to do may be done all the same.
Refusal interrupted(const std::string& program) {
  return {{base::Fault::timeout, fmt::format("given up before {} had answered", program), {}, {}}};
}

// The accounts know how a job has ended, and less of all else.
Sight with_account(const Sight& listed, Sight account) {
  account.reason = listed.reason;
  account.script_host = listed.script_host;
  if (!account.ended) account.ended = listed.ended;
  return account;
}

}  // namespace

Commands::Commands(const batch::System& system, std::vector<std::string> environment)
    : system_(system), environment_(std::move(environment)) {}

Answered<Commands::Said> Commands::ask(const batch::Words& words,
                                       std::vector<std::string> environment, int input,
                                       const std::function<bool()>& goes_on) const {
  const auto answer =
      process::converse({.words = words,
                         .environment = plain(std::move(environment), system_.asked_with),
                         .input = input,
                         .limit = kAnswerWithin,
                         .goes_on = goes_on});
  if (!answer) return tl::unexpected(not_here(words.front()));
  if (answer->is_given_up) return tl::unexpected(interrupted(words.front()));
  if (answer->is_cut) return tl::unexpected(no_answer(system_, words.front(), kAnswerWithin));
  if (answer->ended_well()) return Said{answer->out, answer->err};
  return tl::unexpected(system_.refused(answer->err.empty() ? answer->out : answer->err));
}

Answered<Commands::Said> Commands::ask(const batch::Words& words) const {
  return ask(words, environment_, -1, process::no_signal_waits);
}

Answered<void> Commands::order(const batch::Words& words) const {
  return ask(words, environment_, -1, {}).map([](const Said&) {});
}

std::vector<std::string> Commands::environment_of_job() const {
  std::vector<std::string> environment = environment_;
  std::erase_if(environment, [&](const std::string& one) {
    return system_.is_of_job(std::string_view(one).substr(0, one.find('=')));
  });
  return environment;
}

// Without what says other things than the script.
std::vector<std::string> Commands::environment_of(std::string_view script) const {
  std::vector<std::string> environment = environment_of_job();
  if (system_.overrides == nullptr) return environment;
  std::erase_if(environment, [&](const std::string& one) {
    return system_.overrides(std::string_view(one).substr(0, one.find('=')), script);
  });
  return environment;
}

// "partitions here: main, long"
Refusal Commands::with_names(Refusal refusal) const {
  if (refusal.names.empty()) return refusal;
  const auto said = ask(refusal.names);
  if (!said) return refusal;
  std::vector<std::string> names = base::split(said->out, "\n ");
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  refusal.error.hint += fmt::format("; {}: {}", refusal.names_are, fmt::join(names, ", "));
  return refusal;
}

Refusal Commands::refused(std::string_view said) const { return with_names(system_.refused(said)); }

Refusal Commands::not_here(const std::string& program) const {
  return {
      {base::Fault::cannot_start,
       fmt::format("there is no {} here", program),
       fmt::format("{} is reached through its commands: call muster on a login node", system_.name),
       {}}};
}

// An id counts, whatever the program does afterwards: the job is there.
Answered<std::string> Commands::submit(const std::string& script,
                                       const Meanwhile& meanwhile) const {
  const batch::Words words = system_.submit();
  base::Result<void> ready;
  std::string said;
  std::string id;
  const auto look = [&](std::string_view lines) {
    if (!id.empty()) return;
    id = system_.submitted(lines);
    if (!id.empty()) meanwhile.taken(id);
  };
  process::Conversation talk{
      .words = words, .environment = environment_of(script), .limit = kHandOverWithin};
  talk.late_input = [&]() -> std::optional<std::string> {
    ready = meanwhile.ready();
    return ready ? std::optional(script) : std::nullopt;
  };
  talk.heard = [&](std::string_view bytes) {
    said += bytes;
    look(std::string_view(said).substr(0, said.rfind('\n') + 1));
  };
  const auto answer = process::converse(talk);
  if (!ready) return tl::unexpected(Refusal{ready.error()});
  look(said);
  if (!id.empty()) return id;
  if (!answer) return tl::unexpected(not_here(words.front()));
  if (answer->is_cut) {
    return tl::unexpected(no_answer(system_, words.front(), kHandOverWithin,
                                    "the job may be in its queue all the same"));
  }
  if (!answer->ended_well())
    return tl::unexpected(refused(answer->err.empty() ? said : answer->err));
  return tl::unexpected(system_.refused(said + answer->err));
}

Answered<std::string> Commands::test(std::string_view text) const {
  const process::UniqueFd file(::memfd_create("job-script", MFD_CLOEXEC));
  const bool good = file && process::write_all(file.get(), text).error == 0 &&
                    ::lseek(file.get(), 0, SEEK_SET) == 0;
  if (!good) {
    return tl::unexpected(
        Refusal{{base::Fault::internal, "there is no memory for the script", {}, {}}});
  }
  const auto said = ask(system_.test(), environment_of(text), file.get(), process::no_signal_waits);
  if (!said) return tl::unexpected(with_names(said.error()));
  return system_.tested(said->out + said->err, std::chrono::time_point_cast<model::Utc::duration>(
                                                   std::chrono::system_clock::now()));
}

Answered<std::vector<Sight>> Commands::look(const std::vector<std::string>& ids) const {
  std::vector<Sight> known;
  if (ids.empty()) return known;
  if (const auto said = ask(system_.list(ids))) {
    known = system_.listed(said->out);
  } else if (!said.error().is_unknown_job) {
    return tl::unexpected(said.error());
  }
  std::vector<std::string> rest;
  for (const std::string& id : ids) {
    const auto found = std::ranges::find(known, id, &Sight::id);
    const bool is_open = found == known.end() || found->stage == batch::Stage::over;
    if (is_open) rest.push_back(id);
  }
  if (rest.empty()) return known;
  const auto past = ask(system_.past(rest));  // a site may keep no accounts
  const bool is_given_up = !past && past.error().error.fault == base::Fault::timeout;
  if (is_given_up) return tl::unexpected(past.error());  // none of them is known to be gone
  if (!past) return known;
  for (Sight& sight : system_.passed(past->out)) {
    const auto found = std::ranges::find(known, sight.id, &Sight::id);
    if (found == known.end()) {
      known.push_back(std::move(sight));
    } else if (sight.stage == batch::Stage::over) {
      *found = with_account(*found, std::move(sight));
    }
  }
  return known;
}

Answered<void> Commands::interrupt(const std::string& id) const {
  return order(system_.interrupt(id));
}

Answered<void> Commands::cancel(const std::string& id) const { return order(system_.cancel(id)); }

}  // namespace muster::queue
