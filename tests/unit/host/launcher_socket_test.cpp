// The socket of a host at which launchers inside ranks ask.
#include "host/launcher_socket.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/socket_file.hpp"
#include "process/ownership.hpp"
#include "process/removals.hpp"
#include "unit/nest.hpp"
#include "wire/messages.hpp"

namespace muster::host {
namespace {

// With what it is called while it goes.
std::vector<std::string> left_of(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(folder).parent_path())) {
    if (entry.path().string().starts_with(folder)) names.push_back(entry.path().string());
  }
  return names;
}

class Socket : public testing::Test {
 protected:
  Socket() {
    std::signal(SIGPIPE, SIG_IGN);
    auto made = LauncherSocket::make(loop_, *removals_,
                                     [this](std::uint32_t connection, std::string bytes) {
                                       if (bytes.empty()) ended_.push_back(connection);
                                       said_[connection] += bytes;
                                       largest_ = std::max(largest_, bytes.size());
                                     });
    if (made) socket_ = std::move(*made);
  }

  process::UniqueFd call() {
    auto connected = probe::connect_to(socket_->path());
    EXPECT_TRUE(connected);
    return connected ? std::move(*connected) : process::UniqueFd();
  }
  template <class Condition>
  void run_until(Condition condition) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    bool is_met = condition();
    while (!is_met && std::chrono::steady_clock::now() < limit) {
      loop_.run_one_for(std::chrono::milliseconds(100));
      loop_.restart();
      is_met = condition();
    }
    EXPECT_TRUE(is_met);
  }
  static void put(const process::UniqueFd& to, std::string_view bytes) {
    ASSERT_EQ(::write(to.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

  asio::io_context loop_;
  std::optional<process::Removals> removals_{std::in_place, loop_};
  std::unique_ptr<LauncherSocket> socket_;
  std::map<std::uint32_t, std::string> said_;
  std::vector<std::uint32_t> ended_;
  std::size_t largest_ = 0;
};

TEST_F(Socket, LiesWhereNobodyElseComes) {
  struct stat found {};
  ASSERT_EQ(::stat(socket_->folder().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777U, 0700U);
  EXPECT_TRUE(process::is_own_socket(socket_->path()));
  EXPECT_FALSE(process::is_own_socket(socket_->folder()));
}

TEST_F(Socket, GoesWithItsFolder) {
  const std::string folder = socket_->folder();
  socket_.reset();
  EXPECT_FALSE(std::filesystem::exists(folder));
  removals_.reset();
  EXPECT_TRUE(left_of(folder).empty());
}

// A rank may have put anything there; its host is lost if it does not go on.
TEST_F(Socket, WhatARankPutThereIsNotWaitedFor) {
  const std::string folder = socket_->folder();
  unit::nest(folder, 2'100);
  socket_.reset();
  siginfo_t child{};
  EXPECT_EQ(::waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT), 0) << "another removes it";
  removals_.reset();
  EXPECT_TRUE(left_of(folder).empty());
}

TEST_F(Socket, CarriesBytesBothWays) {
  const auto one = call();
  const auto two = call();
  put(one, "one");
  put(two, "two");
  run_until([&] { return said_[1] == "one" && said_[2] == "two"; });
  socket_->answer(2, "to two");
  char bytes[16];
  run_until([&] { return ::recv(two.get(), bytes, sizeof bytes, MSG_DONTWAIT) == 6; });
  EXPECT_EQ(::recv(one.get(), bytes, sizeof bytes, MSG_DONTWAIT), -1);
}

TEST_F(Socket, NoPieceIsLargerThanAMessageTakes) {
  const auto one = call();
  const std::string much(3'000'000, 'x');
  std::size_t at = 0;
  run_until([&] {
    const ssize_t size = ::send(one.get(), much.data() + at, much.size() - at, MSG_DONTWAIT);
    if (size > 0) at += static_cast<std::size_t>(size);
    return said_[1].size() == much.size();
  });
  EXPECT_LE(largest_, wire::kLauncherBytesMax);
}

TEST_F(Socket, AnEndIsToldOnce) {
  auto one = call();
  put(one, "x");
  run_until([&] { return said_[1] == "x"; });
  one.reset();
  run_until([&] { return !ended_.empty(); });
  EXPECT_EQ(ended_, std::vector<std::uint32_t>{1});
  socket_->answer(1, "late");
  EXPECT_EQ(ended_.size(), 1U);
}

TEST_F(Socket, ClosesWhenTold) {
  const auto one = call();
  put(one, "x");
  run_until([&] { return said_[1] == "x"; });
  socket_->answer(1, {});
  char byte = 0;
  run_until([&] { return ::recv(one.get(), &byte, 1, MSG_DONTWAIT) == 0; });
  EXPECT_EQ(ended_, std::vector<std::uint32_t>{1}) << "bytes may have been on their way";
}

TEST_F(Socket, MoreThanABoundedNumberWait) {
  std::vector<process::UniqueFd> all;
  for (int i = 0; i < 513; ++i) {
    all.push_back(call());
    ASSERT_EQ(::send(all.back().get(), "x", 1, MSG_NOSIGNAL), 1);
    loop_.poll();
    loop_.restart();
  }
  run_until([&] { return said_.size() == 512; });
  loop_.run_for(std::chrono::milliseconds(20));
  loop_.restart();
  EXPECT_EQ(said_.size(), 512U);
  all.front().reset();
  run_until([&] { return said_.size() == 513; });
}

// Of a launcher it is known at once what it wants.
TEST_F(Socket, WhoSaysNothingMakesRoomForOthers) {
  constexpr std::uint32_t kRoom = 512;
  const auto speaker = call();
  put(speaker, "first");
  run_until([&] { return said_[1] == "first"; });
  std::vector<process::UniqueFd> silent;
  for (std::uint32_t i = 0; i < kRoom; ++i) {
    silent.push_back(call());
    loop_.poll();
    loop_.restart();
  }
  const auto honest = call();
  put(honest, "honest");
  run_until([&] { return said_[kRoom + 2] == "honest"; });
  const auto is_closed = [](const process::UniqueFd& one) {
    char byte = 0;
    return ::recv(one.get(), &byte, 1, MSG_DONTWAIT) == 0;
  };
  EXPECT_TRUE(is_closed(silent[0]) && is_closed(silent[1]));  // the oldest of the silent ones
  EXPECT_FALSE(is_closed(silent[2]));
  EXPECT_EQ(ended_, std::vector<std::uint32_t>()) << "who has said nothing is known to nobody";
  socket_->answer(1, "still there");
  char bytes[16];
  run_until([&] { return ::recv(speaker.get(), bytes, sizeof bytes, MSG_DONTWAIT) == 11; });
}

// The last place is for the first of them, although nothing that he said has been read yet.
TEST_F(Socket, WhoComesWithOthersIsHeardBeforeHeMakesRoom) {
  constexpr std::uint32_t kRoom = 512;
  std::vector<process::UniqueFd> speakers;
  for (std::uint32_t i = 1; i < kRoom; ++i) {
    speakers.push_back(call());
    put(speakers.back(), "x");
    run_until([&] { return said_.size() == i; });
  }
  std::vector<process::UniqueFd> together;
  for (int i = 0; i < 5; ++i) {
    together.push_back(call());
    put(together.back(), "honest");
  }
  run_until([&] { return said_.size() == kRoom; });
  EXPECT_EQ(said_.rbegin()->first, kRoom);
  speakers.clear();
  run_until([&] { return said_.rbegin()->first == kRoom + 4; });
}

}  // namespace
}  // namespace muster::host
