// Requests to the key-value store: what is taken, in pieces of any size, and what is refused.
#include "gloo/request.hpp"

#include <gtest/gtest.h>
#include <string>

namespace muster::gloo {
namespace {

// The status of a refusal, kFine for a whole request, 0 for one that goes on.
int status(const std::string& text) {
  RequestReader reader;
  reader.take(text);
  if (reader.state() == RequestReader::State::whole) return kFine;
  return reader.ended() ? reader.refusal() : 0;
}

Request whole(const std::string& text) {
  RequestReader reader;
  reader.take(text);
  EXPECT_EQ(reader.state(), RequestReader::State::whole) << text;
  return reader.request();
}

// As Python's http.client and the HTTPRequest library write them.
const std::string kPut =
    "PUT /global/0 HTTP/1.1\r\nHost: 10.0.0.1:4000\r\nAccept-Encoding: identity\r\n"
    "Content-Length: 5\r\n\r\na\r\n\r\n";
const std::string kGet =
    "GET /local_node1/3 HTTP/1.1\r\nHost: 10.0.0.1\r\nContent-Length: 0\r\n\r\n";

TEST(Request, IsTakenAsClientsWriteIt) {
  EXPECT_EQ(whole(kGet), (Request{Verb::get, "local_node1", "3", ""}));
  EXPECT_EQ(whole("DELETE /cross_0/1 HTTP/1.0\r\n\r\n"),
            (Request{Verb::remove, "cross_0", "1", ""}));
  EXPECT_EQ(whole("PUT /a/b HTTP/1.1\r\ncontent-LENGTH:\t2 \r\n\r\nxy").body, "xy");
}

TEST(Request, ComesInPiecesOfAnySize) {
  const std::string text = "PUT /global/0 HTTP/1.1\r\nContent-Length: 6\r\n\r\na\r\n\r\nb";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    RequestReader reader;
    for (std::size_t at = 0; at < text.size(); at += size) {
      EXPECT_FALSE(reader.ended());
      reader.take(std::string_view(text).substr(at, size));
    }
    ASSERT_EQ(reader.state(), RequestReader::State::whole) << size;
    EXPECT_EQ(reader.request(), (Request{Verb::put, "global", "0", "a\r\n\r\nb"}));
  }
}

TEST(Request, EndsWhereItsLengthSays) {
  RequestReader reader;
  reader.take(kPut + "GET /more/1 HTTP/1.1\r\n\r\n");
  ASSERT_EQ(reader.state(), RequestReader::State::whole);
  EXPECT_EQ(reader.request().body, "a\r\n\r\n");
  reader.take("more");
  EXPECT_EQ(reader.request().body, "a\r\n\r\n");
}

TEST(Request, GoesOnUntilItIsWhole) {
  EXPECT_EQ(status(""), 0);
  EXPECT_EQ(status("GET /a/b HTTP/1.1\r\n"), 0);
  EXPECT_EQ(status("PUT /a/b HTTP/1.1\r\nContent-Length: 2\r\n\r\nx"), 0);
}

TEST(Request, RefusesOtherPaths) {
  for (const char* path : {"/", "/a", "/a/", "//b", "/a/b/c", "a/b", "*", "http://h/a/b", ""}) {
    EXPECT_EQ(status("GET " + std::string(path) + " HTTP/1.1\r\n\r\n"), kBadRequest) << path;
  }
  EXPECT_EQ(status("GET /" + std::string(kNameMax, 'a') + "/b HTTP/1.1\r\n\r\n"), kFine);
  EXPECT_EQ(status("GET /" + std::string(kNameMax + 1, 'a') + "/b HTTP/1.1\r\n\r\n"), kBadRequest);
  EXPECT_EQ(status("GET /a/\xC3\xA4 HTTP/1.1\r\n\r\n"), kBadRequest);
}

TEST(Request, RefusesOtherLines) {
  EXPECT_EQ(status("POST /a/b HTTP/1.1\r\n\r\n"), kNoSuchVerb);
  EXPECT_EQ(status("get /a/b HTTP/1.1\r\n\r\n"), kNoSuchVerb);
  for (const char* line :
       {"GET /a/b", "GET /a/b HTTP/2.0", "GET /a/b HTTP/1.1 ", "GET  /a/b HTTP/1.1", "\x16\x03\x01",
        " GET /a/b HTTP/1.1", "GET /a/b HTTP/1.1\nX: y"}) {
    EXPECT_EQ(status(std::string(line) + "\r\n\r\n"), kBadRequest) << line;
  }
}

TEST(Request, RefusesFieldsThatCouldBeReadInTwoWays) {
  const auto with = [](const std::string& fields) {
    return status("PUT /a/b HTTP/1.1\r\n" + fields + "\r\n\r\n");
  };
  EXPECT_EQ(with("Host: x"), kLengthRequired);
  EXPECT_EQ(with("Transfer-Encoding: chunked"), kNotImplemented);
  EXPECT_EQ(with("Content-Length: 0\r\nContent-Length: 0"), kFine);
  EXPECT_EQ(with("Content-Length: 0\r\nContent-Length: 1"), kBadRequest);
  for (const char* length : {"-1", "+1", "0x1", "1 2", "", "1,1", "1.0"}) {
    EXPECT_EQ(with("Content-Length: " + std::string(length)), kBadRequest) << length;
  }
  EXPECT_EQ(with("Content-Length : 0"), kBadRequest);
  EXPECT_EQ(with(" Content-Length: 0"), kBadRequest);
  EXPECT_EQ(with("Content-Length"), kBadRequest);
  EXPECT_EQ(with("X: a\rb\r\nContent-Length: 0"), kBadRequest);
}

TEST(Request, KeepsItsBounds) {
  EXPECT_EQ(status("PUT /a/b HTTP/1.1\r\nContent-Length: 1048577\r\n\r\n"), kTooLarge);
  EXPECT_EQ(status("PUT /a/b HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n"),
            kTooLarge);
  EXPECT_EQ(status(std::string(kHeadMax, 'a')), kHeadTooLarge);
  EXPECT_EQ(status(std::string(kHeadMax - 1, 'a')), 0);
  RequestReader reader;
  for (std::size_t i = 0; i < kHeadMax; ++i) reader.take("a");
  EXPECT_EQ(reader.refusal(), kHeadTooLarge);
}

}  // namespace
}  // namespace muster::gloo
