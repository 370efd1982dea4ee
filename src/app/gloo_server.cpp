// Accepts ranks, a bounded number at a time; reads one request from each, answers, closes.
#include "app/gloo_server.hpp"

#include <array>
#include <asio/buffer.hpp>
#include <asio/ip/address.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <fcntl.h>
#include <system_error>

namespace muster::app {
namespace {

using asio::ip::tcp;

// A rank's request is there at once. Strangers that say nothing do not keep a place.
constexpr auto kPatience = std::chrono::seconds(10);
constexpr std::size_t kSessionsMax = 512;
constexpr auto kPause = std::chrono::milliseconds(100);

}  // namespace

class GlooServer::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, std::shared_ptr<gloo::Store> store,
          std::shared_ptr<GlooServer*> server)
      : socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        store_(std::move(store)),
        server_(std::move(server)) {}

  ~Session() {
    if (*server_ != nullptr) (*server_)->session_ended();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start() {
    timer_.expires_after(kPatience);
    timer_.async_wait([self = shared_from_this()](const std::error_code& error) {
      if (!error) self->close();
    });
    read();
  }

 private:
  void read() {
    socket_.async_read_some(
        asio::buffer(buffer_),
        [self = shared_from_this()](const std::error_code& error, std::size_t size) {
          if (error || *self->server_ == nullptr) return self->close();
          self->reader_.take({self->buffer_.data(), size});
          if (self->reader_.ended()) return self->answer();
          self->read();
        });
  }

  void answer() {
    answer_ = store_->answer(reader_);
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

  void close() {
    std::error_code ignored;
    timer_.cancel();
    socket_.close(ignored);
  }

  tcp::socket socket_;
  asio::steady_timer timer_;
  std::shared_ptr<gloo::Store> store_;
  std::shared_ptr<GlooServer*> server_;  // null once it is gone
  gloo::RequestReader reader_;
  std::string answer_;
  std::array<char, 16384> buffer_{};
};

base::Result<std::unique_ptr<GlooServer>> GlooServer::listen(asio::io_context& loop,
                                                             const std::string& address,
                                                             gloo::Members members) {
  std::unique_ptr<GlooServer> server(new GlooServer(loop, std::move(members)));
  std::error_code error;
  const auto ip = asio::ip::make_address(address, error);
  tcp::acceptor& acceptor = server->acceptor_;
  if (!error) acceptor.open(ip.is_v6() ? tcp::v6() : tcp::v4(), error);
  if (!error) ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
  if (!error) acceptor.bind({ip, 0}, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (error) {
    return base::fail(base::Fault::internal,
                      "--network-interface names the one that leads to the hosts; --mpi needs none",
                      "cannot listen at {} for Horovod's ranks: {}", address, error.message());
  }
  server->port_ = acceptor.local_endpoint(error).port();
  server->accept();
  return server;
}

GlooServer::~GlooServer() { *self_ = nullptr; }

void GlooServer::accept() {
  if (accepting_ || sessions_ >= kSessionsMax) return;
  accepting_ = true;
  acceptor_.async_accept([this, self = self_](const std::error_code& error, tcp::socket socket) {
    if (*self == nullptr) return;
    accepting_ = false;
    if (error == asio::error::operation_aborted) return;
    if (error) return accept_later();
    ++sessions_;
    std::make_shared<Session>(std::move(socket), store_, self)->start();
    accept();
  });
}

// As a rule this process has no descriptor left just now.
void GlooServer::accept_later() {
  pause_.expires_after(kPause);
  pause_.async_wait([this, self = self_](const std::error_code& error) {
    if (*self != nullptr && !error) accept();
  });
}

void GlooServer::session_ended() {
  --sessions_;
  accept();
}

}  // namespace muster::app
