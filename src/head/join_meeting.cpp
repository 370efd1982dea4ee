// The side of a node that comes: it may be early, so it tries until the time is over.
#include <array>
#include <asio/connect.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/write.hpp>

#include "head/meeting.hpp"
#include "head/meeting_place.hpp"
#include "head/peers.hpp"
#include "link/handshake.hpp"
#include "probe/probe.hpp"
#include "probe/random.hpp"
#include "process/alarm.hpp"
#include "process/life.hpp"
#include "view/waiting.hpp"

namespace muster::head {
namespace {

using asio::ip::tcp;
using base::Fault;
using base::Result;

constexpr base::Duration kNextTry = std::chrono::milliseconds(200);

class Joining {
 public:
  Joining(const model::Meeting& meeting, const wire::Join& join, const MeetingEvents& events,
          const machine::Company& company)
      : meeting_(meeting),
        join_(join),
        events_(events),
        company_(company),
        socket_(loop_),
        limit_(loop_),
        pause_(loop_),
        progress_(loop_),
        waiting_(meeting.limit + company.slack) {}

  Result<process::UniqueFd> run() {
    limit_.after(meeting_.limit + company_.slack, [this] { end(too_late()); });
    tell_progress(kFirstProgress);
    attempt();
    loop_.run();
    if (failure_) return tl::unexpected(*failure_);
    return process::UniqueFd(socket_.release());
  }

 private:
  [[nodiscard]] std::string place() const {
    return fmt::format("{} at {}:{}", company_.head, meeting_.host, meeting_.port);
  }

  [[nodiscard]] base::Error too_late() const {
    const double seconds = std::chrono::duration<double>(meeting_.limit).count();
    if (talk_ && talk_->known()) {
      return {Fault::unreachable,
              fmt::format("{} did not start the job within {:g} s", place(), seconds),
              fmt::format("has every {} been started?", company_.each),
              {}};
    }
    return {
        Fault::unreachable,
        fmt::format("no answer from {} within {:g} s: {}", place(), seconds, last_),
        fmt::format("{}, and is the address right? {}{}",
                    company_.called ? "does `muster lead` run there" : "was the job started there",
                    company_.longer, of_loopback()),
        {}};
  }

  [[nodiscard]] std::string of_loopback() const {
    return company_.called || !is_loopback(meeting_) ? "" : fmt::format("; {}", kOnlyHere);
  }

  // Node 0 may be another process of this machine that has yet to start, so that this is no error.
  [[nodiscard]] std::string if_elsewhere() const {
    if (company_.called || !is_loopback(meeting_)) return {};
    return fmt::format(
        "; {} is this machine itself: if {} runs elsewhere, give a name or address of it",
        meeting_.host, company_.head);
  }

  void attempt() {
    const auto found = endpoints_of(meeting_);
    if (!found) return again(found.error().what);
    asio::async_connect(socket_, *found,
                        life_.bind([this](const std::error_code& failed, const tcp::endpoint&) {
                          if (failed) return again(failed.message());
                          greet();
                        }));
  }

  // It may not be there yet.
  void again(std::string why) {
    last_ = std::move(why);
    std::error_code ignored;
    socket_.close(ignored);
    talk_.reset();
    pause_.after(kNextTry, [this] { attempt(); });
  }

  void greet() {
    std::error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    talk_.emplace(meeting_.secret, probe::random_digits(32), join_);
    std::error_code error;
    asio::write(socket_, asio::buffer(talk_->opening()), error);
    if (error) return again(error.message());
    read();
  }

  void read() {
    socket_.async_read_some(asio::buffer(buffer_),
                            life_.bind([this](const std::error_code& error, std::size_t size) {
                              if (error) return again(error.message());
                              take({buffer_.data(), size});
                            }));
  }

  // Node 0 gives orders to the user who joins, so the kernel is asked whose it is before anything
  // is answered: whoever is still to be answered holds its end. What is no node 0 at all may be
  // anyone's, and no file makes it one.
  void take(std::string_view bytes) {
    const bool is_asked = meeting_.is_guessable && !talk_->known();
    auto step = talk_->take(bytes);
    const bool is_muster = step || talk_->greeted();
    if (is_asked && is_muster && peers_.is_another_users(socket_)) return refuse(another_users());
    if (!step) return refuse(std::move(step.error()));
    std::error_code error;
    if (!step->send.empty()) asio::write(socket_, asio::buffer(step->send), error);
    if (error) return again(error.message());
    if (!step->began) return read();
    stop();
  }

  void refuse(base::Error why) {
    why.what = place() + ": " + why.what;
    end(std::move(why));
  }

  void tell_progress(base::Duration after) {
    progress_.after(after, [this] {
      const bool known = talk_ && talk_->known();
      const auto words = known
                             ? fmt::format("{} waits for more {}s", place(), company_.each)
                             : fmt::format("waiting for {}: {}{}", place(), last_, if_elsewhere());
      const auto waited =
          std::chrono::floor<base::Duration>(std::chrono::steady_clock::now() - begun_);
      if (const auto told = waiting_.tell(words, waited)) events_.say(*told);
      tell_progress(kNextProgress);
    });
  }

  void end(base::Error error) {
    failure_ = std::move(error);
    std::error_code ignored;
    socket_.close(ignored);
    stop();
  }

  void stop() {
    life_.end();
    limit_.stop();
    pause_.stop();
    progress_.stop();
  }

  const model::Meeting& meeting_;
  const wire::Join& join_;
  const MeetingEvents& events_;
  const machine::Company& company_;
  asio::io_context loop_{1};
  tcp::socket socket_;
  Peers peers_{{}};
  process::Alarm limit_;
  process::Alarm pause_;
  process::Alarm progress_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  view::Waiting waiting_;
  std::array<char, 4096> buffer_{};
  std::optional<link::GuestHandshake> talk_;
  std::optional<base::Error> failure_;
  std::string last_ = "no answer yet";
  process::Life life_;  // until it has ended, well or not
};

}  // namespace

bool is_here(const std::string& host) {
  const std::array<std::string, 1> names = {host};
  return !probe::local_names(names).empty();
}

Result<process::UniqueFd> join_meeting(const model::Meeting& meeting, const wire::Join& join,
                                       const MeetingEvents& events,
                                       const machine::Company& company) {
  return Joining(meeting, join, events, company).run();
}

}  // namespace muster::head
