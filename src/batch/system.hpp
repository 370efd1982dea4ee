// System: one batch system as a table of functions: what is said to its commands, and what their
// answers mean. A second system is a second table. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "batch/sight.hpp"
#include "batch/wish.hpp"

namespace muster::batch {

using Words = std::vector<std::string>;

// Why a command of the system has not done what it was asked for.
struct Refusal {
  base::Error error;  // its own words, on one line, with what to do
  // It has names that can be listed, to be added to the hint: the words of that question.
  Words names = {};
  std::string names_are = {};   // "partitions here"
  bool is_unknown_job = false;  // it knows no job of that id (any more)
};

// What the program that holds hosts has said so far.
struct AllocationNews {
  std::string id = {};   // of the job, once it is known
  std::string end = {};  // why the hosts are gone, for people; empty: they are not, or nobody said
  bool operator==(const AllocationNews&) const = default;
};

struct System {
  std::string_view kind;          // in muster.yml and in records: "slurm"
  std::string_view name;          // for people: "Slurm"
  std::string_view job_variable;  // of the script's environment: the id of the job
  // Whether a variable is about the job around, if there is one: it does not go with a new one.
  bool (*is_of_job)(std::string_view variable);
  // Whether a variable of the one that hands over would go before what the script says, or would
  // have the system do something else than queue one job; null: none does.
  bool (*overrides)(std::string_view variable, std::string_view script) = nullptr;

  // Whether the system may queue the job of such a script again once that has ended with `code`.
  bool (*may_queue_again)(std::string_view script, int code);

  // A script that a person can read and hand over by hand.
  std::string (*script)(const Wish& wish);

  // Takes a script on stdin, and refuses an empty one; its answer is the id of the job, or empty
  // for what is no answer.
  Words (*submit)();
  std::string (*submitted)(std::string_view said);

  // "NAME=VALUE" of the environment of all questions, so that times in the answers can be read.
  std::string_view asked_with;

  // Asks whether a script, on stdin, would be taken; the answer may be on either stream, and
  // becomes one for people. `now`: times far from it are left out.
  Words (*test)();
  std::string (*tested)(std::string_view said, model::Utc now);

  // Asks for many jobs at once; those that it knows no more are not in the answer.
  Words (*list)(const std::vector<std::string>& ids);
  std::vector<Sight> (*listed)(std::string_view said);

  // The same of those that it has forgotten, where it keeps accounts.
  Words (*past)(const std::vector<std::string>& ids);
  std::vector<Sight> (*passed)(std::string_view said);

  // SIGINT to the script's process, which is muster; null: it can only be killed.
  Words (*interrupt)(const std::string& id);
  Words (*cancel)(const std::string& id);

  // What a command that failed has said on its stderr.
  Refusal (*refused)(std::string_view said);

  // Asks for hosts, waits for them, and holds them as long as `command` runs, in whose environment
  // it says which they are; null: there is no such program. When the hosts are taken away, it sends
  // the command SIGTERM. What it says meanwhile, on its stderr.
  Words (*allocate)(const Wish& wish, const Words& command) = nullptr;
  AllocationNews (*allocating)(std::string_view said) = nullptr;
};

[[nodiscard]] std::span<const System* const> systems();

// The one of that kind, or null.
[[nodiscard]] const System* system_of(std::string_view kind);

}  // namespace muster::batch
