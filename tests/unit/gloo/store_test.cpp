// The key-value store: values until all ranks of a scope have finished; bounds.
#include "gloo/store.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

namespace muster::gloo {
namespace {

class Scopes : public testing::Test {
 protected:
  // "200 body"
  std::string ask(const std::string& verb, const std::string& path, const std::string& body = "") {
    RequestReader reader;
    reader.take(verb + " " + path + " HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n\r\n" + body);
    EXPECT_TRUE(reader.ended());
    const std::string answer = store_.answer(reader);
    EXPECT_TRUE(answer.starts_with("HTTP/1.0 "));
    const std::size_t end = answer.find("\r\n\r\n");
    return answer.substr(9, 3) + " " + answer.substr(end + 4);
  }

  Store store_{Members{{"global", 2}, {"cross_0", 1}}};
};

TEST_F(Scopes, KeepWhatWasPut) {
  EXPECT_EQ(ask("GET", "/global/0"), "404 ");
  EXPECT_EQ(ask("PUT", "/global/0", "at"), "200 ");
  EXPECT_EQ(ask("GET", "/global/0"), "200 at");
  EXPECT_EQ(ask("GET", "/global/1"), "404 ");
  EXPECT_EQ(ask("GET", "/other/0"), "404 ");
  EXPECT_EQ(ask("PUT", "/global/0", std::string("\0\r\n\r\n", 5)), "200 ");
  EXPECT_EQ(ask("GET", "/global/0"), std::string("200 \0\r\n\r\n", 9));
}

TEST_F(Scopes, AreEmptiedWhenAllTheirRanksHaveFinished) {
  ask("PUT", "/global/0", "a");
  ask("PUT", "/global/1", "b");
  EXPECT_EQ(ask("DELETE", "/global/0"), "200 ");
  EXPECT_EQ(ask("DELETE", "/global/0"), "200 ");  // again: it still counts once
  EXPECT_EQ(ask("GET", "/global/0"), "200 a");    // rank 1 may not have read it yet
  EXPECT_EQ(ask("DELETE", "/global/1"), "200 ");
  EXPECT_EQ(ask("GET", "/global/0"), "404 ");
  EXPECT_EQ(ask("GET", "/global/1"), "404 ");
}

TEST_F(Scopes, OfTheClientsOwnForgetOneKeyAtATime) {
  ask("PUT", "/own/a", "1");
  ask("PUT", "/own/b", "2");
  EXPECT_EQ(ask("DELETE", "/own/a"), "200 ");
  EXPECT_EQ(ask("GET", "/own/a"), "404 ");
  EXPECT_EQ(ask("GET", "/own/b"), "200 2");
  EXPECT_EQ(ask("DELETE", "/own/none"), "200 ");
  EXPECT_EQ(ask("DELETE", "/none/a"), "200 ");
}

TEST(RankThatJoins, IsTheOneThatPutsItsAddresses) {
  const auto joined = [](const std::string& request, const std::string& body = "x") {
    RequestReader reader;
    reader.take(
        fmt::format("{} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}", request, body.size(), body));
    return joined_by(reader);
  };
  EXPECT_EQ(joined("PUT /global/12"), 12U);
  EXPECT_EQ(joined("PUT /global/12", ""), std::nullopt) << "it believes it is alone";
  EXPECT_EQ(joined("PUT /global/rank_12"), std::nullopt) << "its host's name, before that";
  EXPECT_EQ(joined("PUT /global/12a"), std::nullopt);
  EXPECT_EQ(joined("PUT /global/99999999999"), std::nullopt);
  EXPECT_EQ(joined("PUT /local_a/0"), std::nullopt) << "comes later";
  EXPECT_EQ(joined("GET /global/12"), std::nullopt) << "another one may ask for it";
  EXPECT_EQ(joined("nonsense"), std::nullopt);
}

TEST_F(Scopes, TellWhyARequestIsRefused) {
  RequestReader reader;
  reader.take("nonsense\r\n\r\n");
  EXPECT_EQ(store_.answer(reader),
            "HTTP/1.0 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}

TEST(RoomOfAJob, GrowsWithItsRanks) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  EXPECT_LE(limits_for({{"global", 2}}).bytes, 3 * kMiB);
  EXPECT_LE(limits_for({{"global", 2}}).keys, 2000U);
  // Each of 1000 ranks puts 1000 addresses.
  EXPECT_GE(limits_for({{"global", 1000}, {"cross_0", 125}}).bytes, 250 * kMiB);
  EXPECT_GE(limits_for({{"global", 1000}, {"cross_0", 125}}).keys, 3000U);
  EXPECT_LE(limits_for({{"global", 1'000'000}}).bytes, 600 * kMiB);
}

TEST_F(Scopes, OfAJobAreBounded) {
  const std::string body(std::size_t{1} << 20, 'x');
  int kept = 0;
  for (int i = 0; i < 400; ++i) {
    kept += ask("PUT", "/own/" + std::to_string(i), body).starts_with("200") ? 1 : 0;
  }
  EXPECT_LT(kept, 4);
}

TEST_F(Scopes, HoldSoMuchAndNoMore) {
  store_ = Store({}, {.keys = 2, .bytes = 10});
  EXPECT_EQ(ask("PUT", "/own/a", "1234"), "200 ");
  EXPECT_EQ(ask("PUT", "/own/b", "12345"), "507 ");
  EXPECT_EQ(ask("PUT", "/own/b", "1234"), "200 ");
  EXPECT_EQ(ask("PUT", "/own/c", ""), "507 ");
  EXPECT_EQ(ask("DELETE", "/own/a"), "200 ");
  EXPECT_EQ(ask("PUT", "/own/c", "123"), "200 ");
  EXPECT_EQ(ask("GET", "/own/b"), "200 1234");
}

}  // namespace
}  // namespace muster::gloo
