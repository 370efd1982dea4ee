// Accepts connections and holds the listener's side of the handshake with each.
#include "head/door.hpp"

#include <asio/write.hpp>
#include <fcntl.h>

#include "probe/random.hpp"
#include "process/defer_accept.hpp"
#include "process/shortage.hpp"

namespace muster::head {
namespace {

using asio::ip::tcp;

constexpr base::Duration kIntroduction = std::chrono::seconds(10);
constexpr std::size_t kStrangers = 64;
constexpr base::Duration kAcceptPause = std::chrono::milliseconds(100);

}  // namespace

Visitor::Visitor(tcp::socket connected, const std::string& secret)
    : socket(std::move(connected)),
      timer(socket.get_executor()),
      talk(secret, probe::random_digits(32)) {
  std::error_code ignored;
  from = socket.remote_endpoint(ignored).address();
}

Door::Door(asio::io_context& loop, std::string secret, std::size_t expected, DoorEvents events)
    : secret_(std::move(secret)),
      strangers_max_(kStrangers + expected),
      events_(std::move(events)),
      acceptor_(loop),
      pause_(loop) {}

Door::~Door() {
  close();
  events_.left = nullptr;
  while (!visitors_.empty()) dismiss(VisitorPtr(visitors_.front()));
}

std::error_code Door::listen(const tcp::endpoint& endpoint) {
  std::error_code error;
  std::error_code ignored;
  acceptor_.close(ignored);
  acceptor_.open(endpoint.protocol(), error);
  // So that rank 0 may bind the port while connections to us last.
  if (!error) ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) process::defer_accept(acceptor_.native_handle());
  if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
  return error;
}

std::uint16_t Door::port() const {
  std::error_code ignored;
  return acceptor_.local_endpoint(ignored).port();
}

void Door::open() { accept(); }

void Door::close() {
  std::error_code ignored;
  life_.end();
  acceptor_.close(ignored);
  pause_.stop();
  for (const VisitorPtr& visitor : visitors_) {
    visitor->timer.stop();
    visitor->socket.cancel(ignored);
  }
}

void Door::accept() {
  acceptor_.async_accept(life_.bind([this](const std::error_code& error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    const bool has_room = process::lacks_room(error.value()) && make_room(1);
    if (error && !has_room) return pause_.after(kAcceptPause, [this] { accept(); });
    if (!error) make_room(strangers_max_);
    if (!error) welcome(std::move(socket));
    accept();
  }));
}

// A node shows at once that it is of this job, so whoever came last is heard.
bool Door::make_room(std::size_t most) {
  if (strangers_.size() < most) return false;
  dismiss(strangers_.take_one());
  return true;
}

void Door::welcome(tcp::socket socket) {
  auto visitor = std::make_shared<Visitor>(std::move(socket), secret_);
  visitors_.push_back(visitor);
  visitor->ticket = strangers_.add(visitor->from, visitor);
  std::error_code ignored;
  ::fcntl(visitor->socket.native_handle(), F_SETFD, FD_CLOEXEC);
  visitor->socket.set_option(tcp::no_delay(true), ignored);
  // The visitor's own alarm must not keep it.
  visitor->timer.after(kIntroduction, [this, weak = std::weak_ptr(visitor)] {
    if (const auto late = weak.lock()) dismiss(late);
  });
  if (send(visitor, visitor->talk.greeting())) read(visitor);
}

// The few bytes of a handshake fit any socket's buffer; a visitor that does not take them leaves.
bool Door::send(const VisitorPtr& visitor, const std::string& text) {
  std::error_code error;
  if (!text.empty()) asio::write(visitor->socket, asio::buffer(text), error);
  if (error) dismiss(visitor);
  return !error;
}

void Door::read(const VisitorPtr& visitor) {
  visitor->socket.async_read_some(
      asio::buffer(visitor->buffer),
      life_.bind([this, visitor](const std::error_code& error, std::size_t size) {
        if (!visitor->socket.is_open()) return;                   // dismissed, or taken
        if (error || visitor->admitted) return dismiss(visitor);  // nothing is due from a guest
        hear(visitor, {visitor->buffer.data(), size});
      }));
}

void Door::hear(const VisitorPtr& visitor, std::string_view bytes) {
  auto step = visitor->talk.take(bytes);
  if (!step) return events_.odd(visitor, step.error());
  if (visitor->talk.known()) strangers_.remove(visitor->ticket);
  if (!send(visitor, step->send)) return;
  const auto alive = life_.watch();
  if (step->join) events_.joined(visitor, std::move(*step->join));
  if (!alive.expired() && visitor->socket.is_open()) read(visitor);
}

void Door::admit(const VisitorPtr& visitor) {
  visitor->admitted = true;
  visitor->timer.stop();
}

void Door::refuse(const VisitorPtr& visitor, const base::Error& why) {
  if (send(visitor, link::refusal(why))) dismiss(visitor);
}

void Door::dismiss(const VisitorPtr& visitor) {
  if (visitor->admitted && events_.left) events_.left(visitor);
  visitor->timer.stop();
  std::error_code ignored;
  visitor->socket.close(ignored);
  strangers_.remove(visitor->ticket);
  visitors_.remove(visitor);
}

process::UniqueFd Door::take(const VisitorPtr& visitor) {
  std::error_code ignored;
  visitor->timer.stop();
  visitor->socket.cancel(ignored);
  asio::write(visitor->socket, asio::buffer("begin\n", 6), ignored);
  process::UniqueFd connection(visitor->socket.release());
  strangers_.remove(visitor->ticket);
  visitors_.remove(visitor);
  return connection;
}

}  // namespace muster::head
