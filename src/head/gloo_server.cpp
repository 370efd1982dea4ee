// Accepts ranks; reads one request from each, answers, closes. Who is slow makes room for others.
#include "head/gloo_server.hpp"

#include <array>
#include <asio/buffer.hpp>
#include <asio/ip/address.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <fcntl.h>
#include <system_error>
#include <utility>

#include "process/defer_accept.hpp"
#include "process/shortage.hpp"

namespace muster::head {
namespace {

using asio::ip::tcp;

// A rank's request is there at once, and is answered in a moment: whoever keeps a connection for
// longer than hundreds of others need it loses it to them.
constexpr auto kPatience = std::chrono::seconds(10);
constexpr std::size_t kSessionsMax = 512;
constexpr auto kPause = std::chrono::milliseconds(100);

}  // namespace

class GlooServer::Session : public std::enable_shared_from_this<Session> {
 public:
  using Joined = std::function<void(std::uint32_t rank, const std::string& from)>;
  // `joined` is not called once `server` has gone.
  Session(tcp::socket socket, std::shared_ptr<gloo::Store> store, std::weak_ptr<const void> server,
          Joined joined)
      : socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        store_(std::move(store)),
        server_(std::move(server)),
        joined_(std::move(joined)) {
    std::error_code ignored;
    from_ = socket_.remote_endpoint(ignored).address();
  }

  // `ended`: once it is closed.
  void start(std::function<void()> ended) {
    ended_ = std::move(ended);
    timer_.after(kPatience, [this] { close(); });
    read();
  }
  void close() {
    std::error_code ignored;
    timer_.stop();
    socket_.close(ignored);
    if (const auto ended = std::exchange(ended_, nullptr)) ended();
  }
  [[nodiscard]] const asio::ip::address& from() const { return from_; }

 private:
  void read() {
    socket_.async_read_some(
        asio::buffer(buffer_),
        [self = shared_from_this()](const std::error_code& error, std::size_t size) {
          if (error || self->server_.expired()) return self->close();
          self->reader_.take({self->buffer_.data(), size});
          if (self->reader_.ended()) return self->answer();
          self->read();
        });
  }

  void answer() {
    answer_ = store_->answer(reader_);
    if (const auto rank = gloo::joined_by(reader_)) {
      joined_(*rank, from_.is_loopback() ? "" : from_.to_string());
    }
    asio::async_write(socket_, asio::buffer(answer_),
                      [self = shared_from_this()](const std::error_code& error, std::size_t) {
                        if (error) return self->close();
                        std::error_code ignored;
                        self->socket_.shutdown(tcp::socket::shutdown_send, ignored);
                        self->drain();
                      });
  }

  // Closed with bytes unread, the kernel would take the answer back (RFC 9112, 9.6).
  void drain() {
    socket_.async_read_some(asio::buffer(buffer_),
                            [self = shared_from_this()](const std::error_code& error, std::size_t) {
                              if (error) return self->close();
                              self->drain();
                            });
  }

  tcp::socket socket_;
  asio::ip::address from_;
  process::Alarm timer_;
  std::shared_ptr<gloo::Store> store_;
  std::weak_ptr<const void> server_;
  Joined joined_;
  std::function<void()> ended_;
  gloo::RequestReader reader_;
  std::string answer_;
  std::array<char, 16384> buffer_{};
};

base::Result<std::unique_ptr<GlooServer>> GlooServer::listen(asio::io_context& loop,
                                                             Options options) {
  const std::string address = options.address;
  std::unique_ptr<GlooServer> server(new GlooServer(loop, std::move(options)));
  return server->open(address).map([&] {
    server->accept();
    return std::move(server);
  });
}

base::Result<void> GlooServer::open(const std::string& address) {
  std::error_code error;
  const auto ip = asio::ip::make_address(address, error);
  if (!error) acceptor_.open(ip.is_v6() ? tcp::v6() : tcp::v4(), error);
  if (!error) ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
  if (!error) acceptor_.bind({ip, 0}, error);
  if (!error) process::defer_accept(acceptor_.native_handle());
  if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
  if (!error) port_ = acceptor_.local_endpoint(error).port();
  if (!error) return {};
  return base::fail(
      base::Fault::internal,
      "--network-interface names the interface that leads to the hosts; --mpi needs none",
      "cannot listen at {} for Horovod's ranks: {}", address, error.message());
}

void GlooServer::accept() {
  acceptor_.async_accept(life_.bind([this](const std::error_code& error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    const bool has_room = process::lacks_room(error.value()) && make_room();
    if (error && !has_room) return pause_.after(kPause, [this] { accept(); });
    if (!error) receive(std::move(socket));
    accept();
  }));
}

void GlooServer::receive(tcp::socket socket) {
  const auto why = peers_.objection(socket);
  if (!why) return;
  if (!why->empty()) {
    const auto line = refusals_.add("a connection to Horovod's store was refused: " + *why);
    return line ? say_(*line) : void();
  }
  if (sessions_.size() >= kSessionsMax) make_room();
  const auto session = std::make_shared<Session>(std::move(socket), store_, life_.watch(), joined_);
  const Ticket ticket = sessions_.add(session->from(), session);
  session->start(life_.bind([this, ticket] { sessions_.remove(ticket); }));
}

bool GlooServer::make_room() {
  if (sessions_.size() == 0) return false;
  if (const auto session = sessions_.take_one().lock()) session->close();
  return true;
}

}  // namespace muster::head
