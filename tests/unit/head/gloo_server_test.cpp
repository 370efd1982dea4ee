// GlooServer: a rank is answered however many connections say nothing.
#include "head/gloo_server.hpp"

#include <asio/connect.hpp>
#include <asio/write.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace muster::head {
namespace {

using asio::ip::tcp;

class GlooServerTest : public testing::Test {
 protected:
  GlooServerTest() {
    GlooServer::Options options;
    options.address = "127.0.0.1";
    options.members = {{"global", 2}};
    options.say = [this](const std::string& line) { said_.push_back(line); };
    options.joined = [this](std::uint32_t rank, const std::string& from) {
      joined_.push_back(fmt::format("{} from '{}'", rank, from));
    };
    server_ = std::move(*GlooServer::listen(loop_, std::move(options)));
  }

  tcp::socket call() {
    tcp::socket socket(loop_);
    socket.connect({asio::ip::make_address("127.0.0.1"), server_->port()});
    return socket;
  }

  // The server has closed it.
  static bool is_closed(tcp::socket& socket) {
    char byte = 0;
    return ::recv(socket.native_handle(), &byte, 1, MSG_DONTWAIT) == 0;
  }

  // What a rank is answered.
  std::string put(const std::string& key) {
    tcp::socket socket = call();
    const std::string request = "PUT /global/" + key + " HTTP/1.1\r\nContent-Length: 1\r\n\r\nx";
    asio::write(socket, asio::buffer(request));
    std::string answer(1024, '\0');
    bool is_over = false;
    socket.async_read_some(asio::buffer(answer), [&](const std::error_code&, std::size_t size) {
      answer.resize(size);
      is_over = true;
    });
    while (!is_over) loop_.run_one();
    loop_.restart();
    return answer.substr(0, answer.find('\r'));
  }

  asio::io_context loop_;
  std::unique_ptr<GlooServer> server_;
  std::vector<std::string> said_;
  std::vector<std::string> joined_;
};

TEST_F(GlooServerTest, TellsWhichRankHasPutItsAddresses) {
  EXPECT_EQ(put("1"), "HTTP/1.0 200 OK");
  EXPECT_EQ(put("other"), "HTTP/1.0 200 OK");
  EXPECT_EQ(joined_, std::vector<std::string>{"1 from ''"}) << "over the loopback";
}

// Those that say half a word; who says nothing is not even accepted while others come.
TEST_F(GlooServerTest, TheOldestOfThoseThatAskForNothingMakeRoom) {
  constexpr std::size_t kRoom = 512;
  constexpr std::size_t kTooMany = 100;
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = files.rlim_max;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
  if (files.rlim_max < 2048) GTEST_SKIP() << "the limit of open files is " << files.rlim_max;
  std::vector<tcp::socket> silent;
  for (std::size_t i = 0; i < kRoom + kTooMany; ++i) silent.push_back(call());
  EXPECT_EQ(put("0"), "HTTP/1.0 200 OK");
  std::size_t closed = 0;
  for (tcp::socket& one : silent) closed += is_closed(one) ? 1 : 0;
  EXPECT_EQ(closed, 0U);
  for (tcp::socket& one : silent) one.send(asio::buffer("P", 1));
  EXPECT_EQ(put("0"), "HTTP/1.0 200 OK");
  for (tcp::socket& one : silent) closed += is_closed(one) ? 1 : 0;
  EXPECT_EQ(closed, kTooMany + 1);  // no more than were in the way
  for (std::size_t i = 0; i < closed; ++i) EXPECT_TRUE(is_closed(silent[i])) << i;
  EXPECT_TRUE(said_.empty());
}

// It may have lost its patience, or have been killed: that is nothing to be told.
TEST_F(GlooServerTest, WhoHasGoneIsNotTakenForAnotherUser) {
  call().close();
  EXPECT_EQ(put("1"), "HTTP/1.0 200 OK");
  EXPECT_EQ(said_, std::vector<std::string>());
}

}  // namespace
}  // namespace muster::head
