// Until then the kernel keeps a connection among those whose handshake is not over: with neither a
// socket of ours nor a place among those that wait for accept(). Where too many do so, it sends
// cookies, and hands over at once who returns one.
#include "process/defer_accept.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace muster::process {

void defer_accept(int listener) {
  constexpr int kSeconds = 1;  // until the kernel repeats its first answer, so the least there is
  (void)::setsockopt(listener, IPPROTO_TCP, TCP_DEFER_ACCEPT, &kSeconds, sizeof kSeconds);
}

}  // namespace muster::process
