// Listens, checks who calls, and carries bytes both ways.
#include "host/launcher_socket.hpp"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "link/byte_reader.hpp"
#include "link/out_queue.hpp"
#include "process/ownership.hpp"
#include "process/shortage.hpp"
#include "process/unique_fd.hpp"

namespace muster::host {
namespace {

namespace fs = std::filesystem;

// Of all ranks of the run here, at a time; each costs two descriptors. Others wait, unless some
// have not said yet what they want: a launcher says that at once.
constexpr std::size_t kSessionsMax = 512;
constexpr std::size_t kAcceptedAtOnce = 64;
constexpr auto kPauseAtFailure = std::chrono::milliseconds(100);

// A socket's path is shorter than most others may be.
std::string temporary_folder() {
  constexpr std::string_view kName = "/muster-head-XXXXXX";
  std::error_code wrong;
  const std::string own = fs::temp_directory_path(wrong).string();
  const bool fits = own.size() + kName.size() + 10 < sizeof(sockaddr_un::sun_path);
  return (wrong || !fits ? "/tmp" : own) + std::string(kName);
}

}  // namespace

class LauncherSocket::Session {
 public:
  // `copy`: of the socket, for the other direction.
  Session(asio::io_context& loop, process::UniqueFd socket, process::UniqueFd copy,
          link::ByteReader::OnBytes said, link::ByteReader::OnEnd ended)
      : loop_(loop),
        copy_(std::move(copy)),
        in_(std::make_shared<link::ByteReader>(loop, std::move(socket), std::move(said),
                                               std::move(ended))) {
    in_->start();
  }
  ~Session() {
    in_->close();
    if (out_) out_->close();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool has_spoken = false;
  // False: it does not read what it is sent.
  [[nodiscard]] bool send(std::string_view bytes) {
    if (!out_) out_ = std::make_shared<link::OutQueue>(loop_, std::move(copy_));
    out_->tail() += bytes;
    return out_->flush();
  }

 private:
  asio::io_context& loop_;
  process::UniqueFd copy_;               // until something is sent
  std::shared_ptr<link::OutQueue> out_;  // from then on
  std::shared_ptr<link::ByteReader> in_;
};

base::Result<std::unique_ptr<LauncherSocket>> LauncherSocket::make(asio::io_context& loop,
                                                                   process::Removals& removals,
                                                                   Said said) {
  std::string folder = temporary_folder();
  if (::mkdtemp(folder.data()) == nullptr) {
    return base::fail(base::Fault::cannot_start, "is TMPDIR a folder that you may write to?",
                      "cannot make a folder for launchers in ranks");
  }
  std::unique_ptr<LauncherSocket> made(
      new LauncherSocket(loop, removals, std::move(said), std::move(folder)));
  return made->open().map([&] {
    made->accept();
    return std::move(made);
  });
}

LauncherSocket::LauncherSocket(asio::io_context& loop, process::Removals& removals, Said said,
                               std::string folder)
    : loop_(loop),
      removals_(removals),
      said_(std::move(said)),
      folder_(std::move(folder)),
      acceptor_(loop),
      pause_(loop) {}

LauncherSocket::~LauncherSocket() { removals_.remove(folder_); }

std::string LauncherSocket::path() const { return folder_ + "/socket"; }

base::Result<void> LauncherSocket::open() {
  std::error_code error;
  acceptor_.open(Protocol(), error);
  if (!error) ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
  if (!error) acceptor_.bind({path()}, error);
  if (!error) acceptor_.listen(Protocol::acceptor::max_listen_connections, error);
  if (!error) acceptor_.non_blocking(true, error);
  if (!error) return {};
  return base::fail(base::Fault::cannot_start, {}, "cannot listen in {}: {}", folder_,
                    error.message());
}

// A connection is accepted when there is one and room for it, so that those that wait need none.
void LauncherSocket::accept() {
  if (accepting_) return;
  accepting_ = true;
  acceptor_.async_wait(Protocol::acceptor::wait_read,
                       life_.bind([this](const std::error_code& error) {
                         accepting_ = false;
                         if (!error) accept_some();
                       }));
}

// Many at once, but no more than there is room and descriptors for: nobody leaves for those that
// came with him before what he said has been read.
void LauncherSocket::accept_some() {
  for (std::size_t i = 0; i < kAcceptedAtOnce; ++i) {
    const bool is_full = sessions_.size() >= kSessionsMax;
    if (is_full && i > 0) break;
    if (is_full && silent() == sessions_.end()) return;
    std::error_code error;
    Protocol::socket socket = acceptor_.accept(error);
    const bool lacks_room = process::lacks_room(error.value());
    if (error == asio::error::would_block || (lacks_room && i > 0)) break;
    const bool has_room = lacks_room && make_room();
    if (error && !has_room) return pause_.after(kPauseAtFailure, [this] { accept(); });
    if (!error && is_full) make_room();
    if (!error) receive(std::move(socket));
  }
  accept();
}

void LauncherSocket::receive(Protocol::socket socket) {
  if (!process::is_own_peer(socket.native_handle())) return;
  std::error_code ignored;
  process::UniqueFd fd(socket.release(ignored));
  process::UniqueFd copy(fd ? ::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3) : -1);
  if (!copy) return;
  ::fcntl(fd.get(), F_SETFD, FD_CLOEXEC);
  const std::uint32_t number = ++last_;
  sessions_.emplace(number, std::make_unique<Session>(
                                loop_, std::move(fd), std::move(copy),
                                [this, number](std::string_view bytes) { hear(number, bytes); },
                                [this, number] { end(number); }));
}

LauncherSocket::Sessions::iterator LauncherSocket::silent() {
  return std::ranges::find_if(sessions_, [](const auto& one) { return !one.second->has_spoken; });
}

bool LauncherSocket::make_room() {
  const auto oldest = silent();
  if (oldest == sessions_.end()) return false;
  end(oldest->first);
  return true;
}

void LauncherSocket::hear(std::uint32_t connection, std::string_view bytes) {
  sessions_.at(connection)->has_spoken = true;
  said_(connection, std::string(bytes));
}

void LauncherSocket::answer(std::uint32_t connection, std::string_view bytes) {
  const auto found = sessions_.find(connection);
  if (found == sessions_.end()) return;
  if (bytes.empty() || !found->second->send(bytes)) end(connection);
}

// It may be the one whose callback we are in. Whoever listens is told last of all, also if the end
// was his own: bytes may have been on their way to him. Of who has said nothing he knows nothing.
void LauncherSocket::end(std::uint32_t connection) {
  const auto found = sessions_.find(connection);
  if (found == sessions_.end()) return;
  const bool has_spoken = found->second->has_spoken;
  sessions_.erase(found);
  if (has_spoken) said_(connection, {});
  accept();
}

}  // namespace muster::host
