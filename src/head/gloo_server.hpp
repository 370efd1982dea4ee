// GlooServer: the port at which the ranks of a Horovod job find the key-value store. The only one
// that muster opens for a job, on one address, for the job's hosts, and only while the job runs.
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "base/error.hpp"
#include "gloo/store.hpp"
#include "head/crowd.hpp"
#include "head/peers.hpp"
#include "machine/refusals.hpp"
#include "process/alarm.hpp"
#include "process/life.hpp"

namespace muster::head {

class GlooServer {
 public:
  struct Options {
    std::string address;          // one of this machine's
    gloo::Members members;        // ranks of each scope
    std::set<std::string> hosts;  // addresses of the job's hosts: others are turned away
    std::function<void(const std::string&)> say;  // a line for people about those
    // A rank has joined, as gloo::joined_by says, whose request came from this address; it is empty
    // for this machine's loopback.
    std::function<void(std::uint32_t rank, const std::string& from)> joined;
  };
  // Listens on a free port of the address.
  [[nodiscard]] static base::Result<std::unique_ptr<GlooServer>> listen(asio::io_context& loop,
                                                                        Options options);
  ~GlooServer() = default;
  GlooServer(const GlooServer&) = delete;
  GlooServer& operator=(const GlooServer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  class Session;

  GlooServer(asio::io_context& loop, Options options)
      : acceptor_(loop),
        pause_(loop),
        store_(std::make_shared<gloo::Store>(std::move(options.members))),
        peers_(options.hosts),
        say_(std::move(options.say)),
        joined_(std::move(options.joined)) {}
  base::Result<void> open(const std::string& address);
  void accept();
  void receive(asio::ip::tcp::socket socket);
  // Ends a connection that has been there for long. False: there is none.
  bool make_room();

  asio::ip::tcp::acceptor acceptor_;
  process::Alarm pause_;
  std::shared_ptr<gloo::Store> store_;
  std::uint16_t port_ = 0;
  Crowd<std::weak_ptr<Session>> sessions_;  // open ones
  Peers peers_;
  std::function<void(const std::string&)> say_;
  std::function<void(std::uint32_t rank, const std::string& from)> joined_;
  machine::Refusals refusals_;
  process::Life life_;  // which sessions outlive
};

}  // namespace muster::head
