// Calls that say nothing: how many are kept, and that none of them keeps a process busy.
#include "host/outside_helpers.hpp"

#include <cerrno>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "unit/files_limit.hpp"
#include "unit/folder.hpp"

namespace muster::host {
namespace {

class Callers : public testing::Test {
 protected:
  Callers() {
    auto made = OutsideHelpers::listen(loop_, folder_.path(), {}, 1,
                                       [](const process::SpawnOrder&) { ADD_FAILURE(); });
    EXPECT_TRUE(made);
    if (made) helpers_ = std::move(*made);
  }

  // They are made before any of them calls.
  void call(std::size_t count) {
    all_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      all_.emplace_back(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    }
  }
  void connect(const process::UniqueFd& caller) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = folder_.path() + std::string(process::kOutsideSocket);
    std::memcpy(address.sun_path, path.c_str(), path.size());
    ASSERT_EQ(::connect(caller.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    while (loop_.poll() > 0) {
    }
  }
  // The first ones, which were closed; -1: not only the first ones.
  [[nodiscard]] int closed() const {
    int count = 0;
    bool is_over = false;
    for (const process::UniqueFd& caller : all_) {
      char byte = 0;
      const bool is_closed = ::recv(caller.get(), &byte, 1, MSG_DONTWAIT) == 0;
      if (is_closed && is_over) return -1;
      is_over = !is_closed;
      count += is_closed ? 1 : 0;
    }
    return count;
  }

  unit::Folder folder_;
  asio::io_context loop_;
  std::unique_ptr<OutsideHelpers> helpers_;
  std::vector<process::UniqueFd> all_;
};

TEST_F(Callers, OnlyTheNewestAreKeptWhileTheySayNothing) {
  call(100);
  for (const process::UniqueFd& caller : all_) connect(caller);
  EXPECT_EQ(closed(), 100 - 64);
}

TEST_F(Callers, TheOldestMakesRoomWhereDescriptorsAreShort) {
  call(100);
  constexpr int kLeft = 10;
  const unit::FilesLimit limit(static_cast<rlim_t>(all_.back().get() + 1 + kLeft));
  ASSERT_TRUE(limit.is_set());
  for (const process::UniqueFd& caller : all_) connect(caller);
  EXPECT_EQ(closed(), 100 - kLeft);
}

}  // namespace
}  // namespace muster::host
