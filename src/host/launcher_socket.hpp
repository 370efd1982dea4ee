// LauncherSocket: a socket of this host at which launchers that ranks call ask the head for hosts.
// It lies in a folder that no other user can enter, and takes connections of the same user alone.
// What they say is passed on unread.
#pragma once

#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "process/alarm.hpp"
#include "process/life.hpp"
#include "process/removals.hpp"

namespace muster::host {

class LauncherSocket {
 public:
  // `bytes`: at most wire::kLauncherBytesMax; none: the launcher, which had said something,
  // has gone.
  using Said = std::function<void(std::uint32_t connection, std::string bytes)>;

  // In a new temporary folder, which goes with this object.
  [[nodiscard]] static base::Result<std::unique_ptr<LauncherSocket>> make(
      asio::io_context& loop, process::Removals& removals, Said said);
  ~LauncherSocket();
  LauncherSocket(const LauncherSocket&) = delete;
  LauncherSocket& operator=(const LauncherSocket&) = delete;

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::string path() const;
  // No bytes: closes the connection. One that has gone already is ignored.
  void answer(std::uint32_t connection, std::string_view bytes);

 private:
  using Protocol = asio::local::stream_protocol;
  class Session;
  using Sessions = std::map<std::uint32_t, std::unique_ptr<Session>>;  // by number

  LauncherSocket(asio::io_context& loop, process::Removals& removals, Said said,
                 std::string folder);
  base::Result<void> open();
  void accept();
  void accept_some();
  void receive(Protocol::socket socket);
  // The oldest that has said nothing yet.
  [[nodiscard]] Sessions::iterator silent();
  // Ends that one. False: there is none.
  bool make_room();
  void hear(std::uint32_t connection, std::string_view bytes);
  void end(std::uint32_t connection);

  asio::io_context& loop_;
  process::Removals& removals_;
  Said said_;
  std::string folder_;
  Protocol::acceptor acceptor_;
  process::Alarm pause_;
  Sessions sessions_;
  std::uint32_t last_ = 0;
  bool accepting_ = false;
  process::Life life_;
};

}  // namespace muster::host
