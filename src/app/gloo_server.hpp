// GlooServer: the port at which the ranks of a Horovod job find the key-value store. The only one
// that muster opens for a job, on one address, and only while the job runs.
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "gloo/store.hpp"

namespace muster::app {

class GlooServer {
 public:
  // Listens on a free port of the address, which is one of this machine's.
  [[nodiscard]] static base::Result<std::unique_ptr<GlooServer>> listen(asio::io_context& loop,
                                                                        const std::string& address,
                                                                        gloo::Members members);
  ~GlooServer();
  GlooServer(const GlooServer&) = delete;
  GlooServer& operator=(const GlooServer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  class Session;

  GlooServer(asio::io_context& loop, gloo::Members members)
      : acceptor_(loop), pause_(loop), store_(std::make_shared<gloo::Store>(std::move(members))) {}
  void accept();
  void accept_later();
  void session_ended();

  asio::ip::tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::shared_ptr<gloo::Store> store_;
  std::uint16_t port_ = 0;
  std::size_t sessions_ = 0;
  bool accepting_ = false;
  // Sessions outlive this object by a callback; they ask whether it is still there.
  std::shared_ptr<GlooServer*> self_ = std::make_shared<GlooServer*>(this);
};

}  // namespace muster::app
