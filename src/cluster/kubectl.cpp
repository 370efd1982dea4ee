// Starts kubectl, and waits for what it says.
#include "cluster/kubectl.hpp"

#include <chrono>
#include <sys/mman.h>
#include <unistd.h>

#include "process/converse.hpp"
#include "process/signal_mask.hpp"
#include "process/unique_fd.hpp"
#include "process/write_all.hpp"

namespace muster::cluster {
namespace {

constexpr base::Duration kAnswerWithin = std::chrono::seconds(30);

Refused of(base::Error error, Refusal kind = Refusal::other) { return {kind, std::move(error)}; }

// Only a program that is not there cannot be started.
Refused not_started(base::Error error) {
  if (error.fault != base::Fault::unreachable) return of(std::move(error));
  return of({base::Fault::cannot_start,
             "there is no kubectl here",
             "Kubernetes is reached through it: install kubernetes-client, or put it on PATH",
             {}},
            Refusal::no_program);
}

// What it was to do may be done all the same.
Refused interrupted() {
  return of({base::Fault::timeout, "given up before kubectl had answered", {}, {}},
            Refusal::unreachable);
}

Answered<process::UniqueFd> file_with(std::string_view text) {
  process::UniqueFd file(::memfd_create("kubectl-input", MFD_CLOEXEC));
  const bool good = file && process::write_all(file.get(), text).error == 0 &&
                    ::lseek(file.get(), 0, SEEK_SET) == 0;
  if (good) return file;
  return tl::unexpected(
      of({base::Fault::internal, "there is no memory for what kubectl shall read", {}, {}}));
}

}  // namespace

std::vector<std::string> Kubectl::whole(const std::vector<std::string>& words) const {
  std::vector<std::string> all = {"kubectl"};
  if (!place_.context.empty()) all.push_back("--context=" + place_.context);
  if (!place_.space.empty()) all.push_back("--namespace=" + place_.space);
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

Answered<std::string> Kubectl::answer_of(const std::vector<std::string>& words, int input,
                                         const GoesOn& goes_on) const {
  std::vector<std::string> all = whole(words);
  all.emplace_back("--request-timeout=20s");
  const auto answer = process::converse({.words = std::move(all),
                                         .environment = environment_,
                                         .input = input,
                                         .limit = kAnswerWithin,
                                         .goes_on = goes_on});
  if (!answer) return tl::unexpected(not_started(answer.error()));
  if (answer->ended_well()) return answer->out;
  if (answer->is_given_up) return tl::unexpected(interrupted());
  if (answer->is_cut) return tl::unexpected(refused("i/o timeout", place_));
  return tl::unexpected(refused(answer->err, place_));
}

Answered<std::string> Kubectl::ask(const std::vector<std::string>& words,
                                   std::string_view input) const {
  if (input.empty()) return answer_of(words, -1, process::no_signal_waits);
  const auto file = file_with(input);
  if (!file) return tl::unexpected(file.error());
  return answer_of(words, file->get(), process::no_signal_waits);
}

Answered<void> Kubectl::order(const std::vector<std::string>& words) const {
  return answer_of(words, -1, {}).map([](const std::string&) {});
}

Answered<std::string> Kubectl::feed(const std::vector<std::string>& words, int input) const {
  const auto answer = process::converse({.words = whole(words),
                                         .environment = environment_,
                                         .input = input,
                                         .goes_on = process::no_signal_waits});
  if (!answer) return tl::unexpected(not_started(answer.error()));
  if (answer->ended_well()) return answer->out;
  if (answer->is_given_up) return tl::unexpected(interrupted());
  return tl::unexpected(refused(answer->err, place_));
}

Answered<void> Kubectl::stream(const std::vector<std::string>& words,
                               const std::function<bool(std::string_view)>& heard) const {
  using Clock = std::chrono::steady_clock;
  Clock::time_point last = Clock::now();
  bool is_wanted = true;
  const auto is_silent = [&] { return Clock::now() - last > kAnswerWithin; };
  const auto answer = process::converse({.words = whole(words),
                                         .environment = environment_,
                                         .heard =
                                             [&](std::string_view bytes) {
                                               last = Clock::now();
                                               is_wanted = is_wanted && heard(bytes);
                                             },
                                         .goes_on = [&] { return is_wanted && !is_silent(); }});
  if (!answer) return tl::unexpected(not_started(answer.error()));
  if (answer->ended_well() || (answer->is_given_up && !is_wanted)) return {};
  return tl::unexpected(refused(answer->is_given_up ? "i/o timeout" : answer->err, place_));
}

Answered<void> Kubectl::follow(const std::vector<std::string>& words,
                               const std::function<void(std::string_view)>& heard,
                               const std::function<bool()>& goes_on) const {
  const auto answer = process::converse(
      {.words = whole(words), .environment = environment_, .heard = heard, .goes_on = goes_on});
  if (!answer) return tl::unexpected(not_started(answer.error()));
  if (answer->ended_well() || answer->is_given_up) return {};
  return tl::unexpected(refused(answer->err, place_));
}

}  // namespace muster::cluster
