// Starts the program that holds hosts, and listens until they are there.
#include "queue/allocation.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "batch/ending.hpp"

namespace muster::queue {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kLookMs = 100;
// Between two questions why it waits, to a system that serves many: at first, and later.
constexpr milliseconds kSoon{500};
constexpr milliseconds kLater{10'000};
// For a controller that is busy.
constexpr seconds kGivesBack{10};

// A program that waits withdraws its request, and one that holds hosts gives them back. Other
// signals have salloc 22.05 wait for its command, and spin for ever if that ends at the same
// moment.
constexpr int kWithdraws = SIGHUP;

// Ends with an empty one.
bool is_whole(const std::string& environment) {
  return environment.size() > 1 && environment.ends_with(std::string(2, '\0'));
}

std::vector<std::string> variables_in(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at + 1 < text.size();) {
    const std::size_t end = text.find('\0', at);
    all.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

// False at its end.
bool read_from(int descriptor, std::string& text) {
  std::array<char, 65536> piece;
  const ssize_t size = ::read(descriptor, piece.data(), piece.size());
  if (size > 0) text.append(piece.data(), static_cast<std::size_t>(size));
  return size > 0 || (size < 0 && errno == EINTR);
}

}  // namespace

Allocation::Allocation(const Commands& commands, AllocationEvents events)
    : commands_(commands),
      events_(std::move(events)),
      next_look_(Clock::now() + kSoon),
      pause_(kSoon) {}

Allocation::Waited Allocation::wait_for(const Commands& commands, const batch::Wish& wish,
                                        const batch::Words& holder, AllocationEvents events) {
  std::unique_ptr<Allocation> made(new Allocation(commands, std::move(events)));
  const batch::Words words = commands.batch_system().allocate(wish, holder);
  auto started = process::Companion::start(words, commands.environment_of_job(), kWithdraws);
  if (!started) {
    const bool is_missing = started.error().fault == base::Fault::unreachable;
    return tl::unexpected(
        NoHosts{is_missing ? commands.not_here(words.front()).error : started.error()});
  }
  made->holder_ = std::move(*started);
  const auto given = made->wait();
  if (!given) return tl::unexpected(given.error());
  if (!*given) return nullptr;
  return made;
}

// A program that waits is told to stop waiting; one that holds hosts gives them back when its
// command has ended. Of one that was killed, or does not end, the job would go on.
Allocation::~Allocation() {
  if (!holder_) return;
  holder_->pipes().in.reset();
  if (!is_given_) holder_->signal(kWithdraws);
  if (holder_->await_end(kGivesBack) && holder_->end().signal == 0) return;
  const std::string id = commands_.batch_system().allocating(said_).id;
  if (id.empty()) return;
  const auto cancelled = commands_.cancel(id);
  if (!cancelled && !cancelled.error().is_unknown_job)
    events_.say(may_go_on(id, cancelled.error()));
}

// Whether they are there; else it was given up.
tl::expected<bool, NoHosts> Allocation::wait() {
  while (!is_whole(out_)) {
    if (!listen() && holder_->has_ended()) return tl::unexpected(why_none());
    if (!events_.goes_on()) return false;
    tell_why_it_waits();
  }
  environment_ = variables_in(out_);
  is_given_ = true;
  return true;
}

// The program has ended, and holds none. Of a job that others have ended it says less than the
// system does.
NoHosts Allocation::why_none() const {
  const batch::System& system = commands_.batch_system();
  const std::string id = system.allocating(said_).id;
  const auto sights = commands_.look(id.empty() ? batch::Words() : batch::Words{id});
  NoHosts refused{commands_.refused(said_).error};
  if (!sights) refused.error.hint = take_away(id);  // nobody knows whether it has ended
  if (!sights || sights->empty()) return refused;
  const batch::Sight& sight = sights->front();
  if (sight.stage != batch::Stage::over) refused.error.hint = take_away(id);
  const batch::JobEnd end = batch::end_of(system, &sight, {id, false, {}});
  const bool is_end = sight.stage == batch::Stage::over && sight.how != batch::How::exited;
  if (!is_end || !end.exit_code) return refused;
  return {{base::Fault::cannot_start, end.cause, {}, {}}, end.exit_code};
}

// A job that was left behind would run for nobody.
std::string Allocation::take_away(const std::string& id) const {
  const auto cancelled = commands_.cancel(id);
  if (!cancelled && cancelled.error().is_unknown_job) return {};
  if (!cancelled) return may_go_on(id, cancelled.error());
  return fmt::format("{} job {} was there already, and is cancelled", commands_.batch_system().name,
                     id);
}

std::string Allocation::may_go_on(const std::string& id, const batch::Refusal& why) const {
  return fmt::format("{} job {} may go on: {}", commands_.batch_system().name, id, why.error.what);
}

// Whether there may be more to hear.
bool Allocation::listen() {
  process::ChildPipes& pipes = holder_->pipes();
  if (!pipes.out && !pipes.err) return false;
  std::array<pollfd, 3> wanted = {
      {{pipes.out.get(), POLLIN, 0}, {pipes.err.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}}};
  if (::poll(wanted.data(), wanted.size(), kLookMs) <= 0) return true;
  if (wanted[0].revents != 0 && !read_from(pipes.out.get(), out_)) pipes.out.reset();
  if (wanted[1].revents != 0 && !read_from(pipes.err.get(), said_)) pipes.err.reset();
  return true;
}

void Allocation::tell_why_it_waits() {
  const batch::System& system = commands_.batch_system();
  const std::string id = system.allocating(said_).id;
  if (id.empty() || Clock::now() < next_look_) return;
  pause_ = std::min<Clock::duration>(pause_ * 3 / 2, kLater);
  next_look_ = Clock::now() + pause_;
  const auto sights = commands_.look({id});
  if (!sights || sights->empty() || sights->front().stage != batch::Stage::waiting) return;
  const std::string line = batch::wait_words(system, sights->front());
  if (!line.empty() && told_.insert(line).second) events_.say(line);
}

}  // namespace muster::queue
