// The listener's side: who has come, and how long to wait for the others.
#include <asio/ip/tcp.hpp>
#include <cerrno>
#include <map>

#include "head/door.hpp"
#include "head/meeting.hpp"
#include "head/meeting_place.hpp"
#include "head/peers.hpp"
#include "machine/gathering.hpp"
#include "machine/refusals.hpp"
#include "process/alarm.hpp"
#include "view/first_few.hpp"
#include "view/tail.hpp"
#include "view/waiting.hpp"

namespace muster::head {
namespace {

using asio::ip::tcp;
using base::fail;
using base::Fault;
using base::Result;

std::string place_of(const model::Meeting& meeting) {
  const bool is_v6 = meeting.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", is_v6 ? "[" : "", meeting.host, is_v6 ? "]" : "", meeting.port);
}

class Host {
 public:
  Host(const model::Meeting& meeting, const MeetingEvents& events, const machine::Company& company)
      : meeting_(meeting),
        events_(events),
        company_(company),
        door_(loop_, meeting.secret, meeting.nodes, door_events()),
        limit_(loop_),
        progress_(loop_),
        waiting_(meeting.limit),
        gathering_(meeting.nodes, meeting.node.has_value(), company) {}

  Result<std::vector<Guest>> run() {
    if (auto opened = open(); !opened) return tl::unexpected(opened.error());
    door_.open();
    limit_.after(meeting_.limit, [this] { give_up(); });
    tell_progress(kFirstProgress);
    loop_.run();
    if (const auto sum = refusals_.sum()) events_.say(*sum);
    if (failure_) return tl::unexpected(*failure_);
    if (!company_.called) tell_who_came();
    return guests();
  }

 private:
  Result<void> open() {
    std::error_code error;
    const auto found = endpoints_of(meeting_);
    if (!found) {
      return fail(found.error().fault, found.error().hint, "no such host: {}", found.error().what);
    }
    const tcp::endpoint endpoint = found->front();
    const auto anywhere = endpoint.protocol() == tcp::v6()
                              ? asio::ip::address(asio::ip::address_v6())
                              : asio::ip::address_v4();
    const bool is_own_name = !is_literal() && meeting_.host != "localhost";
    if (!is_own_name || !endpoint.address().is_loopback()) error = door_.listen(endpoint);
    // A machine may know itself by an address at which nobody else reaches it, and node 0's name
    // may be that of a service in front of it.
    const bool is_elsewhere = endpoint.address().is_loopback() || error.value() == EADDRNOTAVAIL;
    if (is_own_name && is_elsewhere) error = door_.listen({anywhere, endpoint.port()});
    if (!error) return {};
    const bool taken = error.value() == EADDRINUSE;
    return fail(taken ? Fault::cannot_start : Fault::unreachable, hint_for(error),
                "cannot listen at {}: {}", place_of(meeting_), error.message());
  }

  [[nodiscard]] bool is_literal() const {
    std::error_code error;
    (void)asio::ip::make_address(meeting_.host, error);
    return !error;
  }

  [[nodiscard]] std::string hint_for(const std::error_code& error) const {
    if (error.value() == EADDRINUSE) {
      return fmt::format("another program uses the port: see ss -ltnp, or {}", company_.other_port);
    }
    if (error.value() == EADDRNOTAVAIL) {
      return fmt::format("this is {}: the address must belong to this machine", company_.head);
    }
    return {};
  }

  DoorEvents door_events() {
    return {
        .joined = [this](const VisitorPtr& visitor,
                         wire::Join join) { admit(visitor, std::move(join)); },
        .odd = [this](const VisitorPtr& visitor, const base::Error& why) { refuse(visitor, why); },
        .left = [this](const VisitorPtr& visitor) { leave(visitor); }};
  }

  // The kernel knows whose a connection within this machine is, whatever he has guessed.
  void admit(const VisitorPtr& visitor, wire::Join join) {
    if (meeting_.is_guessable && peers_.is_another_users(visitor->socket)) {
      return refuse(visitor, another_users());
    }
    auto number = gathering_.admit(std::move(join));
    if (!number) return refuse(visitor, number.error());
    numbers_[visitor.get()] = *number;
    door_.admit(visitor);
    if (gathering_.complete()) stop();
  }

  void leave(const VisitorPtr& visitor) {
    gathering_.leave(numbers_.extract(visitor.get()).mapped());
  }

  void refuse(const VisitorPtr& visitor, const base::Error& why) {
    const auto line =
        refusals_.add(fmt::format("a {} that connected from {} was refused: {}", company_.each,
                                  visitor->from.to_string(), why.what));
    if (line) events_.say(*line);
    door_.refuse(visitor, why);
  }

  void tell_who_came() {
    std::map<std::uint32_t, std::string> all;
    for (const VisitorPtr& visitor : door_.visitors()) {
      if (!visitor->admitted) continue;
      const std::uint32_t node = numbers_.at(visitor.get());
      const wire::Join& join = gathering_.of(node);
      all[node] = fmt::format("{} is {} ({}, user {})", node, view::printable(join.hostname),
                              visitor->from.to_string(), view::printable(join.user));
    }
    auto one = all.begin();
    events_.say(
        fmt::format("node{} {}", all.size() == 1 ? "" : "s",
                    view::first_few(all.size(), [&](std::size_t) { return one++->second; })));
    if (!meeting_.is_guessable || is_loopback(meeting_)) return;
    events_.say(
        fmt::format("whoever reaches {} and knows the job's --rdzv-id could have joined; "
                    "--rdzv-secret-file FILE, the same on all nodes, keeps others out",
                    place_of(meeting_)));
  }

  void give_up() {
    failure_ = {Fault::unreachable,
                fmt::format("{} of {} did not connect to {} within {:g} s",
                            gathering_.missing_in_words(), meeting_.nodes, place_of(meeting_),
                            std::chrono::duration<double>(meeting_.limit).count()),
                is_loopback(meeting_) ? std::string(kOnlyHere)
                                      : fmt::format("{} {}", company_.missing, company_.longer),
                {}};
    stop();
    const auto all = door_.visitors();
    for (const VisitorPtr& visitor : all) {
      if (!visitor->admitted) continue;  // who has shown nothing is told nothing
      door_.refuse(visitor, {Fault::unreachable, failure_->what, {}, {}});
    }
  }

  void tell_progress(base::Duration after) {
    progress_.after(after, [this] {
      const auto words = fmt::format(
          "waiting at {} for {} of {}{}", place_of(meeting_), gathering_.missing_in_words(),
          meeting_.nodes, is_loopback(meeting_) ? "; only this machine reaches that address" : "");
      const auto waited =
          std::chrono::floor<base::Duration>(std::chrono::steady_clock::now() - begun_);
      if (const auto told = waiting_.tell(words, waited)) events_.say(*told);
      tell_progress(kNextProgress);
    });
  }

  void stop() {
    door_.close();
    limit_.stop();
    progress_.stop();
  }

  std::vector<Guest> guests() {
    std::vector<Guest> guests(meeting_.nodes - gathering_.first());
    const auto all = door_.visitors();
    for (const VisitorPtr& visitor : all) {
      if (!visitor->admitted) continue;
      const std::uint32_t node = numbers_.at(visitor.get());
      guests[node - gathering_.first()] = {gathering_.of(node), door_.take(visitor)};
    }
    return guests;
  }

  const model::Meeting& meeting_;
  const MeetingEvents& events_;
  const machine::Company& company_;
  asio::io_context loop_{1};
  Door door_;
  Peers peers_{{}};
  process::Alarm limit_;
  process::Alarm progress_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  view::Waiting waiting_;
  machine::Gathering gathering_;
  machine::Refusals refusals_;
  std::map<const Visitor*, std::uint32_t> numbers_;  // of those that have been admitted
  std::optional<base::Error> failure_;
};

}  // namespace

Result<std::vector<Guest>> hold_meeting(const model::Meeting& meeting, const MeetingEvents& events,
                                        const machine::Company& company) {
  return Host(meeting, events, company).run();
}

}  // namespace muster::head
