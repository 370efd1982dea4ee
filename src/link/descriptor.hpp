// adopt: hands a descriptor over to asio, non-blocking.
#pragma once

#include <asio/posix/stream_descriptor.hpp>

#include "process/unique_fd.hpp"

namespace muster::link {

// The descriptor stays closed when the loop cannot watch the file.
void adopt(asio::posix::stream_descriptor& descriptor, process::UniqueFd fd);

}  // namespace muster::link
