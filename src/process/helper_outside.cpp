// Descriptors travel with the words, as control data of one message.
#include "process/helper_outside.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "process/ownership.hpp"
#include "process/shortage.hpp"

namespace muster::process {
namespace {

constexpr std::size_t kOrderMax = 16384;

std::string& outside_folder() {
  static std::string folder;
  return folder;
}

base::Error outside_lost(int error) {
  base::Error lost = system_error(
      fmt::format("the agent outside of the container does not answer in {}", outside()), error);
  if (lost.hint.empty()) lost.hint = fmt::format("where this is no container, unset {}", kOutside);
  return lost;
}

base::Result<UniqueFd> connect_outside() {
  UniqueFd connection(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = outside() + std::string(kOutsideSocket);
  if (path.size() >= sizeof address.sun_path) {
    return base::fail(base::Fault::internal, {}, "{} is too long for a socket", path);
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const auto* name = reinterpret_cast<const sockaddr*>(&address);
  if (!connection || ::connect(connection.get(), name, sizeof address) != 0) {
    return tl::unexpected(outside_lost(errno));
  }
  return connection;
}

// Room for two descriptors, aligned as control data must be.
union Control {
  cmsghdr header;
  char bytes[CMSG_SPACE(2 * sizeof(int))];
};

// Always two: a descriptor that is not wanted is /dev/null.
bool send_order(int connection, const std::string& words, const std::array<int, 2>& ends) {
  iovec piece{const_cast<char*>(words.data()), words.size()};
  Control control{};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof ends);
  std::memcpy(CMSG_DATA(header), ends.data(), sizeof ends);
  for (;;) {
    const ssize_t sent = ::sendmsg(connection, &message, MSG_NOSIGNAL);
    if (sent >= 0 || errno != EINTR) return sent >= 0;
  }
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

void set_outside(std::string folder) {
  const bool is_there =
      is_own_folder(folder) && is_own_socket(folder + std::string(kOutsideSocket));
  outside_folder() = is_there ? std::move(folder) : "";
}
const std::string& outside() { return outside_folder(); }

base::Result<UniqueFd> start_outside(const std::vector<std::string>& words, int in, int out) {
  auto connection = connect_outside();
  if (!connection) return connection;
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  std::string text;
  for (const std::string& word : words) text.append(word.c_str(), word.size() + 1);
  const std::array<int, 2> ends = {in < 0 ? null.get() : in, out < 0 ? null.get() : out};
  if (send_order(connection->get(), text, ends)) return connection;
  return tl::unexpected(outside_lost(errno));
}

OutsideEnd wait_outside(const UniqueFd& connection) {
  OutsideEnd end{-1, 0};
  for (;;) {
    const ssize_t got = ::recv(connection.get(), &end, sizeof end, 0);
    if (got == sizeof end) return end;
    if (got >= 0 || errno != EINTR) return {-1, 0};
  }
}

std::optional<OutsideOrder> receive_order(int connection) {
  std::array<char, kOrderMax> buffer;
  iovec piece{buffer.data(), buffer.size()};
  Control control{};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  const ssize_t got = ::recvmsg(connection, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  const cmsghdr* header = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  const bool has_ends = header != nullptr && header->cmsg_level == SOL_SOCKET &&
                        header->cmsg_type == SCM_RIGHTS &&
                        header->cmsg_len == CMSG_LEN(2 * sizeof(int));
  if (!has_ends) return std::nullopt;
  std::array<int, 2> ends{};
  std::memcpy(ends.data(), CMSG_DATA(header), sizeof ends);
  OutsideOrder order;
  order.ends = {UniqueFd(ends[0]), UniqueFd(ends[1])};
  if ((message.msg_flags & MSG_TRUNC) != 0) return std::nullopt;
  order.words = words_in({buffer.data(), static_cast<std::size_t>(got)});
  return order;
}

void answer_order(int connection, OutsideEnd end) {
  static_cast<void>(::send(connection, &end, sizeof end, MSG_NOSIGNAL | MSG_DONTWAIT));
}

}  // namespace muster::process
