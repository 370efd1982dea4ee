// Accepts ranks, a bounded number at a time; reads one request from each, answers, closes.
#include "head/gloo_server.hpp"

#include <array>
#include <asio/buffer.hpp>
#include <asio/ip/address.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <fcntl.h>
#include <system_error>

namespace muster::head {
namespace {

using asio::ip::tcp;

// A rank's request is there at once. Strangers that say nothing do not keep a place.
constexpr auto kPatience = std::chrono::seconds(10);
constexpr std::size_t kSessionsMax = 512;
constexpr auto kPause = std::chrono::milliseconds(100);

}  // namespace

class GlooServer::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, std::shared_ptr<gloo::Store> store, std::weak_ptr<const void> server,
          std::function<void()> ended)
      : socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        store_(std::move(store)),
        server_(std::move(server)),
        ended_(std::move(ended)) {}

  ~Session() { ended_(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start() {
    timer_.after(kPatience, [this] { close(); });
    read();
  }

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
    timer_.stop();
    socket_.close(ignored);
  }

  tcp::socket socket_;
  process::Alarm timer_;
  std::shared_ptr<gloo::Store> store_;
  std::weak_ptr<const void> server_;
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
  if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
  if (!error) port_ = acceptor_.local_endpoint(error).port();
  if (!error) return {};
  return base::fail(
      base::Fault::internal,
      "--network-interface names the interface that leads to the hosts; --mpi needs none",
      "cannot listen at {} for Horovod's ranks: {}", address, error.message());
}

void GlooServer::accept() {
  if (accepting_ || sessions_ >= kSessionsMax) return;
  accepting_ = true;
  acceptor_.async_accept(life_.bind([this](const std::error_code& error, tcp::socket socket) {
    accepting_ = false;
    if (error == asio::error::operation_aborted) return;
    // As a rule this process has no descriptor left just now.
    if (error) return pause_.after(kPause, [this] { accept(); });
    receive(std::move(socket));
    accept();
  }));
}

void GlooServer::receive(tcp::socket socket) {
  if (const std::string why = peers_.objection(socket); !why.empty()) {
    const auto line = refusals_.add("a connection to Horovod's store was refused: " + why);
    return line ? say_(*line) : void();
  }
  ++sessions_;
  std::make_shared<Session>(std::move(socket), store_, life_.watch(), life_.bind([this] {
    --sessions_;
    accept();
  }))->start();
}

}  // namespace muster::head
