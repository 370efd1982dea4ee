// One connection for each process; whoever may open the folder may connect.
#include "host/outside_helpers.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <utility>

#include "process/helper_program.hpp"
#include "process/shortage.hpp"

namespace muster::host {
namespace {

constexpr int kCallsWaiting = 64;
constexpr std::size_t kSilentCalls = 64;
constexpr auto kAcceptPause = std::chrono::milliseconds(100);
constexpr const char* kHelperWord = "muster-helper";

}  // namespace

base::Result<std::unique_ptr<OutsideHelpers>> OutsideHelpers::listen(
    asio::io_context& loop, const std::string& folder, std::vector<std::string> environment,
    process::ProcessId first, Start start) {
  process::UniqueFd listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const std::string path = folder + std::string(process::kOutsideSocket);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), std::min(path.size(), sizeof address.sun_path - 1));
  const auto* name = reinterpret_cast<const sockaddr*>(&address);
  if (!listener || ::bind(listener.get(), name, sizeof address) != 0 ||
      ::listen(listener.get(), kCallsWaiting) != 0) {
    return tl::unexpected(process::system_error("cannot listen at " + path, errno));
  }
  std::unique_ptr<OutsideHelpers> helpers(new OutsideHelpers(
      loop, std::move(listener), std::move(environment), first, std::move(start)));
  helpers->wait_for_call();
  return helpers;
}

OutsideHelpers::OutsideHelpers(asio::io_context& loop, process::UniqueFd listener,
                               std::vector<std::string> environment, process::ProcessId first,
                               Start start)
    : loop_(loop),
      listener_(loop, listener.release()),
      pause_(loop),
      environment_(std::move(environment)),
      next_(first),
      start_(std::move(start)) {}

void OutsideHelpers::wait_for_call() {
  listener_.async_wait(asio::posix::stream_descriptor::wait_read,
                       life_.bind([this](const std::error_code& error) {
                         if (error) return;
                         if (accept()) return wait_for_call();
                         pause_.after(kAcceptPause, [this] { wait_for_call(); });
                       }));
}

bool OutsideHelpers::accept() {
  process::UniqueFd call(
      ::accept4(listener_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!call) return errno == EAGAIN || (process::lacks_room(errno) && make_room(1));
  make_room(kSilentCalls);
  const process::ProcessId id = next_++;
  calls_.try_emplace(id, loop_, call.release());
  silent_.insert(id);
  wait_for_order(id);
  return true;
}

bool OutsideHelpers::make_room(std::size_t most) {
  if (silent_.size() < most) return false;
  calls_.erase(*silent_.begin());
  silent_.erase(silent_.begin());
  return true;
}

void OutsideHelpers::wait_for_order(process::ProcessId id) {
  calls_.at(id).async_wait(asio::posix::stream_descriptor::wait_read,
                           life_.bind([this, id](const std::error_code& error) {
                             if (!error) receive(id);
                           }));
}

void OutsideHelpers::receive(process::ProcessId id) {
  const auto call = calls_.find(id);
  if (call == calls_.end()) return;
  silent_.erase(id);
  const auto order = process::receive_order(call->second.native_handle());
  const auto program = process::helper_file();
  if (!order || !program) return void(calls_.erase(call));
  process::SpawnOrder spawn;
  spawn.id = id;
  spawn.program = process::kHelperPath;
  spawn.arguments = {kHelperWord};
  spawn.arguments.insert(spawn.arguments.end(), order->words.begin(), order->words.end());
  spawn.environment = environment_;
  spawn.in = order->ends[0].get();
  spawn.out = order->ends[1].get();
  spawn.wireup = program->get();
  start_(spawn);
}

void OutsideHelpers::ended(process::ProcessId id, process::OutsideEnd end) {
  const auto call = calls_.find(id);
  if (call == calls_.end()) return;
  process::answer_order(call->second.native_handle(), end);
  calls_.erase(call);
}

}  // namespace muster::host
