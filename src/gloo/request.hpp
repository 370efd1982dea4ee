// RequestReader: one HTTP request to the key-value store, taken off a stream of bytes. Pure.
//
// What Horovod's clients send (horovod/common/gloo/http_store.cc with the HTTPRequest library, and
// horovod/runner/http/http_client.py): GET, PUT or DELETE of /SCOPE/KEY, a body with its length,
// one request to a connection. All else is refused, with a status of HTTP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::gloo {

inline constexpr std::size_t kHeadMax = std::size_t{8} << 10;  // request line and header fields
inline constexpr std::size_t kBodyMax = std::size_t{1} << 20;
inline constexpr std::size_t kNameMax = 512;  // of a scope or a key

enum class Verb : std::uint8_t { get, put, remove };

struct Request {
  Verb verb = Verb::get;
  std::string scope;
  std::string key;
  std::string body;  // of GET and DELETE too, where it says nothing
  bool operator==(const Request&) const = default;
};

enum Status : std::uint16_t {
  kFine = 200,
  kBadRequest = 400,
  kNotFound = 404,
  kNoSuchVerb = 405,
  kLengthRequired = 411,
  kTooLarge = 413,
  kHeadTooLarge = 431,
  kNotImplemented = 501,
  kFull = 507,
};

class RequestReader {
 public:
  enum class State : std::uint8_t { head, body, whole, refused };

  // Pieces of any size; what comes after the request is not looked at.
  void take(std::string_view bytes);

  [[nodiscard]] State state() const { return state_; }
  // Nothing more is read: there is an answer.
  [[nodiscard]] bool ended() const { return state_ == State::whole || state_ == State::refused; }
  [[nodiscard]] const Request& request() const { return request_; }  // when whole
  [[nodiscard]] Status refusal() const { return refusal_; }          // when refused

 private:
  void take_head(std::string_view bytes);
  void take_body(std::string_view bytes);
  void refuse(Status why);
  [[nodiscard]] Status read_head(std::string_view head);

  State state_ = State::head;
  std::string head_;
  Request request_;
  std::size_t length_ = 0;  // of the body
  Status refusal_ = kFine;
};

}  // namespace muster::gloo
