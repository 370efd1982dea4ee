// Server: the PMIx server of one node, with the library's threads fenced in.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "pmix/values.hpp"

namespace muster::pmix {

// One in a process, since the library is; it serves until the process ends.
class Server {
 public:
  // Loads the library and serves the job, the first of perhaps several. The library writes one file
  // into first.scratch, which must exist: the topology of this machine, for all ranks.
  [[nodiscard]] static base::Result<std::unique_ptr<Server>> start(const AddJob& first);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Where the library listens, on 127.0.0.1.
  [[nodiscard]] std::uint16_t port() const;
  // Readable when take() has something.
  [[nodiscard]] int signal() const;
  [[nodiscard]] std::vector<Upcall> take();
  [[nodiscard]] base::Result<void> carry_out(const Command& command);

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::pmix
