// Commands of a batch system on this machine, called with the user's own rights.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "batch/system.hpp"

namespace muster::queue {

template <class T>
using Answered = tl::expected<T, batch::Refusal>;

// What is done while a system's program takes a script.
struct Meanwhile {
  // While it starts; after an error it is ended, and never gets the script.
  std::function<base::Result<void>()> ready;
  // As soon as it has said which job it is.
  std::function<void(const std::string& id)> taken;
};

class Commands {
 public:
  // `environment`: of this process.
  Commands(const batch::System& system, std::vector<std::string> environment);

  [[nodiscard]] const batch::System& batch_system() const { return system_; }

  // Hands a script over; the id of its job. Fault::cannot_start: the system refuses it, in its own
  // words; Fault::unreachable: it does not answer. And what `ready` has failed with.
  [[nodiscard]] Answered<std::string> submit(const std::string& script,
                                             const Meanwhile& meanwhile) const;
  // Whether a script would be taken, by its text; what the system says, for people.
  [[nodiscard]] Answered<std::string> test(std::string_view text) const;

  // Of each of these jobs, unless nothing is known of it any more. One or two calls, which end with
  // a signal that is held back: Fault::timeout.
  [[nodiscard]] Answered<std::vector<batch::Sight>> look(const std::vector<std::string>& ids) const;

  // What a command has said that did not do what it was asked for.
  [[nodiscard]] batch::Refusal refused(std::string_view said) const;
  // There is no such program.
  [[nodiscard]] batch::Refusal not_here(const std::string& program) const;
  // What goes with a job: all but what is about another one.
  [[nodiscard]] std::vector<std::string> environment_of_job() const;

  // No signal ends these two: the job would go on. Interrupt: of a system that can.
  [[nodiscard]] Answered<void> interrupt(const std::string& id) const;
  [[nodiscard]] Answered<void> cancel(const std::string& id) const;

 private:
  struct Said {
    std::string out;
    std::string err;
  };
  [[nodiscard]] Answered<Said> ask(const batch::Words& words) const;
  [[nodiscard]] Answered<Said> ask(const batch::Words& words, std::vector<std::string> environment,
                                   int input, const std::function<bool()>& goes_on) const;
  [[nodiscard]] Answered<void> order(const batch::Words& words) const;
  [[nodiscard]] std::vector<std::string> environment_of(std::string_view script) const;
  [[nodiscard]] batch::Refusal with_names(batch::Refusal refusal) const;

  const batch::System& system_;
  std::vector<std::string> environment_;
};

}  // namespace muster::queue
