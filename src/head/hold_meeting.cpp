// The listener's side: strangers get little time and little memory.
#include <algorithm>
#include <array>
#include <asio/ip/tcp.hpp>
#include <asio/write.hpp>
#include <cerrno>
#include <list>
#include <map>
#include <memory>

#include "head/meeting.hpp"
#include "head/meeting_place.hpp"
#include "link/handshake.hpp"
#include "machine/gathering.hpp"
#include "machine/refusals.hpp"
#include "probe/random.hpp"
#include "process/alarm.hpp"
#include "process/life.hpp"

namespace muster::head {
namespace {

using asio::ip::tcp;
using base::fail;
using base::Fault;
using base::Result;

constexpr base::Duration kIntroduction = std::chrono::seconds(10);
constexpr std::size_t kStrangersMax = 64;  // connections that have not shown to be of this job
constexpr base::Duration kAcceptPause = std::chrono::milliseconds(100);

// One connection.
struct Visitor {
  Visitor(tcp::socket connected, const std::string& secret)
      : socket(std::move(connected)),
        timer(socket.get_executor()),
        talk(secret, probe::random_digits(32)) {
    std::error_code ignored;
    from = socket.remote_endpoint(ignored).address();
  }

  tcp::socket socket;
  process::Alarm timer;
  link::HostHandshake talk;
  asio::ip::address from;
  std::array<char, 4096> buffer{};
  std::string sending;
  std::optional<std::uint32_t> node;  // once admitted
};
using VisitorPtr = std::shared_ptr<Visitor>;

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
        acceptor_(loop_),
        pause_(loop_),
        limit_(loop_),
        progress_(loop_),
        gathering_(meeting.nodes, meeting.node.has_value(), company) {}

  Result<std::vector<Guest>> run() {
    if (auto opened = open(); !opened) return tl::unexpected(opened.error());
    accept();
    limit_.after(meeting_.limit, [this] { give_up(); });
    tell_progress(kFirstProgress);
    loop_.run();
    if (const auto sum = refusals_.sum()) events_.say(*sum);
    if (failure_) return tl::unexpected(*failure_);
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
    if (!is_own_name || !endpoint.address().is_loopback()) error = listen(endpoint);
    // A machine may know itself by an address at which nobody else reaches it, and node 0's name
    // may be that of a service in front of it.
    const bool is_elsewhere = endpoint.address().is_loopback() || error.value() == EADDRNOTAVAIL;
    if (is_own_name && is_elsewhere) error = listen({anywhere, endpoint.port()});
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

  std::error_code listen(const tcp::endpoint& endpoint) {
    std::error_code error;
    std::error_code ignored;
    acceptor_.close(ignored);
    acceptor_.open(endpoint.protocol(), error);
    // So that rank 0 may bind the port while connections to us last.
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
    return error;
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

  void accept() {
    acceptor_.async_accept(life_.bind([this](const std::error_code& error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      // As a rule this process has no descriptor left just now.
      if (error) return pause_.after(kAcceptPause, [this] { accept(); });
      make_room();
      welcome(std::move(socket));
      accept();
    }));
  }

  // A node shows at once that it is of this job, so whoever came last is heard. The one to leave is
  // the oldest of those from where most strangers came.
  void make_room() {
    std::map<asio::ip::address, std::vector<VisitorPtr>> strangers;
    std::size_t count = 0;
    for (const VisitorPtr& visitor : visitors_) {
      if (visitor->talk.known()) continue;
      strangers[visitor->from].push_back(visitor);
      ++count;
    }
    if (count < kStrangersMax) return;
    const auto most = std::ranges::max_element(
        strangers, {}, [](const auto& place) { return place.second.size(); });
    dismiss(most->second.front());
  }

  void welcome(tcp::socket socket) {
    auto visitor = std::make_shared<Visitor>(std::move(socket), meeting_.secret);
    visitors_.push_back(visitor);
    std::error_code ignored;
    visitor->socket.set_option(tcp::no_delay(true), ignored);
    // The visitor's own alarm must not keep it.
    visitor->timer.after(kIntroduction, [this, weak = std::weak_ptr(visitor)] {
      if (const auto late = weak.lock()) dismiss(late);
    });
    if (send(visitor, visitor->talk.greeting())) read(visitor);
  }

  // The few bytes of a handshake fit any socket's buffer; a visitor that does not take them leaves.
  bool send(const VisitorPtr& visitor, const std::string& text) {
    std::error_code error;
    if (!text.empty()) asio::write(visitor->socket, asio::buffer(text), error);
    if (error) dismiss(visitor);
    return !error;
  }

  void read(const VisitorPtr& visitor) {
    visitor->socket.async_read_some(
        asio::buffer(visitor->buffer),
        life_.bind([this, visitor](const std::error_code& error, std::size_t size) {
          if (!visitor->socket.is_open()) return;               // dismissed
          if (error || visitor->node) return dismiss(visitor);  // nothing is due from a guest
          take(visitor, {visitor->buffer.data(), size});
        }));
  }

  void take(const VisitorPtr& visitor, std::string_view bytes) {
    auto step = visitor->talk.take(bytes);
    if (!step) return refuse(visitor, step.error());
    if (!send(visitor, step->send)) return;
    if (step->join) admit(visitor, std::move(*step->join));
    if (visitor->socket.is_open() && !complete_) read(visitor);
  }

  void admit(const VisitorPtr& visitor, wire::Join join) {
    auto number = gathering_.admit(std::move(join));
    if (!number) return refuse(visitor, number.error());
    visitor->node = *number;
    visitor->timer.stop();
    if (gathering_.complete()) begin();
  }

  void refuse(const VisitorPtr& visitor, const base::Error& why) {
    const auto line =
        refusals_.add(fmt::format("a {} that connected from {} was refused: {}", company_.each,
                                  visitor->from.to_string(), why.what));
    if (line) events_.say(*line);
    if (send(visitor, link::refusal(why))) dismiss(visitor);
  }

  void dismiss(const VisitorPtr& visitor) {
    if (visitor->node) gathering_.leave(*visitor->node);
    visitor->timer.stop();
    std::error_code ignored;
    visitor->socket.close(ignored);
    visitors_.remove(visitor);
  }

  void begin() {
    complete_ = true;
    stop();
    for (const VisitorPtr& visitor : visitors_) {
      std::error_code error;
      visitor->timer.stop();
      if (!visitor->node) {
        visitor->socket.close(error);
        continue;
      }
      visitor->socket.cancel(error);
      asio::write(visitor->socket, asio::buffer("begin\n", 6), error);
    }
  }

  void give_up() {
    failure_ = {Fault::unreachable,
                fmt::format("{} of {} did not connect to {} within {:g} s",
                            gathering_.missing_in_words(), meeting_.nodes, place_of(meeting_),
                            std::chrono::duration<double>(meeting_.limit).count()),
                fmt::format("{} {}", company_.missing, company_.longer),
                {}};
    stop();
    const auto all = visitors_;
    for (const VisitorPtr& visitor : all) {
      if (visitor->node) send(visitor, link::refusal({Fault::unreachable, failure_->what, {}, {}}));
      dismiss(visitor);
    }
  }

  void tell_progress(base::Duration after) {
    progress_.after(after, [this] {
      events_.say(fmt::format("waiting at {} for {} of {}", place_of(meeting_),
                              gathering_.missing_in_words(), meeting_.nodes));
      tell_progress(kNextProgress);
    });
  }

  void stop() {
    std::error_code ignored;
    life_.end();
    acceptor_.close(ignored);
    pause_.stop();
    limit_.stop();
    progress_.stop();
  }

  std::vector<Guest> guests() {
    std::vector<Guest> guests(meeting_.nodes - gathering_.first());
    for (const VisitorPtr& visitor : visitors_) {
      if (!visitor->node) continue;
      guests[*visitor->node - gathering_.first()] = {gathering_.of(*visitor->node),
                                                     process::UniqueFd(visitor->socket.release())};
    }
    return guests;
  }

  const model::Meeting& meeting_;
  const MeetingEvents& events_;
  const machine::Company& company_;
  asio::io_context loop_{1};
  tcp::acceptor acceptor_;
  process::Alarm pause_;
  process::Alarm limit_;
  process::Alarm progress_;
  machine::Gathering gathering_;
  machine::Refusals refusals_;
  std::list<VisitorPtr> visitors_;
  std::optional<base::Error> failure_;
  bool complete_ = false;
  process::Life life_;  // until it is complete or given up
};

}  // namespace

Result<std::vector<Guest>> hold_meeting(const model::Meeting& meeting, const MeetingEvents& events,
                                        const machine::Company& company) {
  return Host(meeting, events, company).run();
}

}  // namespace muster::head
