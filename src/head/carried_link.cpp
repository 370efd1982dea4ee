// Joins a carrier process and its link into one thing that is up, speaks, and ends with a reason.
#include "head/carried_link.hpp"

#include <fcntl.h>

#include "process/own_umask.hpp"

namespace muster::head {

namespace {
// Last frames may still lie in the pipe of a carrier that has ended; a carrier whose pipe has
// closed is about to end.
constexpr base::Duration kLastFrames = std::chrono::milliseconds(500);
constexpr base::Duration kExit = std::chrono::seconds(2);
}  // namespace

CarriedLink::CarriedLink(asio::io_context& loop, Target target, HostLinkEvents events)
    : timer_(loop), target_(std::move(target)), events_(std::move(events)) {}

base::Result<std::unique_ptr<CarriedLink>> CarriedLink::start(
    asio::io_context& loop, const std::vector<std::string>& words,
    const std::vector<std::string>& environment, Target target, HostLinkEvents events) {
  std::unique_ptr<CarriedLink> carrier(new CarriedLink(loop, std::move(target), std::move(events)));
  CarriedLink* self = carrier.get();
  auto child = process::Child::start(
      loop, words, environment, [self](process::ChildEnd end) { self->on_exit(end); }, 0,
      process::users_umask());  // the agent's ranks have it
  if (!child) return tl::unexpected(child.error());
  carrier->child_ = std::move(*child);
  carrier->open_link(loop, std::move(carrier->child_->pipes()));
  return carrier;
}

std::unique_ptr<CarriedLink> CarriedLink::over(asio::io_context& loop, process::UniqueFd connection,
                                               Target target, HostLinkEvents events) {
  std::unique_ptr<CarriedLink> carrier(new CarriedLink(loop, std::move(target), std::move(events)));
  carrier->end_.emplace();  // there is no exit to wait for
  process::ChildPipes pipes;
  pipes.out = process::UniqueFd(::fcntl(connection.get(), F_DUPFD_CLOEXEC, 0));
  pipes.in = std::move(connection);
  pipes.err = process::UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  carrier->open_link(loop, std::move(pipes));
  return carrier;
}

void CarriedLink::open_link(asio::io_context& loop, process::ChildPipes pipes) {
  link::LinkEvents link;
  link.up = [this] {
    up_ = true;
    const auto up = events_.up;  // which we may not outlive
    up();
  };
  // Who listens may change, and may end us: it is not called in its place here.
  link.message = [this](base::RunIndex run, wire::ToHead message) {
    const auto heard = events_.message;
    heard(run, std::move(message));
  };
  link.output = [this](base::RunIndex run, const wire::OutputView& view) {
    const auto heard = events_.output;
    heard(run, view);
  };
  link.broken = [this](base::Error error) { on_broken(std::move(error)); };
  link.closed = [this] { on_closed(); };
  link_ = std::make_unique<link::Link>(loop, target_.number, std::move(pipes.in),
                                       std::move(pipes.out), std::move(pipes.err), std::move(link));
}

CarriedLink::~CarriedLink() {
  if (link_) link_->close();
}

bool CarriedLink::pass_on(base::NodeIndex number, const HostLinkEvents& events) {
  target_.number = number;
  link_->renumber(number);
  events_ = events;
  return true;
}

void CarriedLink::on_closed() {
  closed_ = true;
  if (end_ && target_.errors && !dismissed_) return finish_within(kLastFrames);
  if (end_) return finish();
  finish_within(kExit);
}

void CarriedLink::on_broken(base::Error error) {
  broken_ = std::move(error);
  finish_within(base::Duration{0});
}

void CarriedLink::on_exit(process::ChildEnd end) {
  end_ = end;
  if (closed_) return finish();
  finish_within(kLastFrames);
}

void CarriedLink::finish_within(base::Duration limit) {
  timer_.after(limit, [this] { finish(); });
}

void CarriedLink::give_up(const link::Diagnosis& why) {
  timer_.stop();
  const auto ended = std::exchange(events_.ended, nullptr);
  if (ended) ended(why);
}

void CarriedLink::finish() {
  timer_.stop();
  const auto ended = std::exchange(events_.ended, nullptr);
  if (!ended) return;
  if (broken_) {
    broken_->what = target_.host + ": " + broken_->what;
    return ended({*broken_});
  }
  const process::ChildEnd exit = end_.value_or(process::ChildEnd{});
  const link::CarrierEnd end{exit.code, exit.signal, errors(), link_->noise()};
  ended(up_ ? link::Diagnosis{link::lost(target_.host, target_.command, end)}
            : link::diagnose({target_.host, target_.agent_path, target_.command, target_.by_hand},
                             end));
}

}  // namespace muster::head
