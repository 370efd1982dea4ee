// A conversation with one session, for tests: what came out of some bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pmi/pmi_session.hpp"

namespace muster::pmi::test {

// A reply that the request can have.
inline Reply fitting(const Request& request) {
  const auto is = [&]<class... Kinds>(std::variant<Kinds...>) {
    return (std::holds_alternative<Kinds>(request) || ...);
  };
  if (is(std::variant<PortInit, FullInit>())) return Identity{};
  if (is(std::variant<GetAppnum, GetUniverseSize>())) return Number{1};
  if (is(std::variant<SingletonInit, GetKvsName, Get, Lookup>())) return Text{"text"};
  return std::holds_alternative<Spawn>(request) ? Reply{Spawned{"job", {}}} : Reply{Done{}};
}

// The requests in these bytes, fed in pieces; each is answered so that the next comes.
struct Heard {
  std::vector<Request> requests;
  std::string replies;
  std::string error;
};

inline void hear_on(PmiSession& session, Heard& heard) {
  while (heard.error.empty()) {
    const auto request = session.next();
    if (!request) heard.error = request.error().what;
    if (!request || !*request) return;
    heard.requests.push_back(**request);
    if (!std::holds_alternative<Abort>(**request))
      heard.replies += session.answer(fitting(**request));
  }
}

inline Heard hear(std::string_view bytes, std::size_t step = 1 << 20) {
  PmiSession session;
  Heard heard;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    session.feed(bytes.substr(at, step));
    hear_on(session, heard);
  }
  return heard;
}

inline constexpr std::string_view kInit1 = "cmd=init pmi_version=1 pmi_subversion=1\n";
inline constexpr std::string_view kInit2 = "cmd=init pmi_version=2 pmi_subversion=0\n";

inline std::string frame(const std::string& payload) {
  return fmt::format("{:6}{}", payload.size(), payload);
}

// Opens a session, asks one thing, and gives the bytes that the reply becomes.
inline std::string reply_to(std::string_view init, const std::string& bytes, const Reply& reply) {
  PmiSession session;
  Heard heard;
  session.feed(init);
  hear_on(session, heard);
  session.feed(bytes);
  const auto request = session.next();
  if (!request) return "error: " + request.error().what;
  return *request ? session.answer(reply) : "nothing was asked";
}

// The only request in the bytes after init.
inline Request ask(std::string_view init, const std::string& bytes) {
  const Heard heard = hear(std::string(init) + bytes);
  if (!heard.error.empty() || heard.requests.size() != 2) return Unsupported{};
  return heard.requests.back();
}

}  // namespace muster::pmi::test
