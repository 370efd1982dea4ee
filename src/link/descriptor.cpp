// adopt: hands a descriptor over to asio, non-blocking.
#include "link/descriptor.hpp"

namespace muster::link {

void adopt(asio::posix::stream_descriptor& descriptor, process::UniqueFd fd) {
  asio::error_code error;
  descriptor.assign(fd.get(), error);
  if (error) return;
  static_cast<void>(fd.release());
  descriptor.native_non_blocking(true, error);
}

}  // namespace muster::link
