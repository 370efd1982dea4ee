// Keeps values by scope and key, within bounds.
#include "gloo/store.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <string_view>
#include <system_error>

namespace muster::gloo {
namespace {

std::string_view reason(Status status) {
  switch (status) {
    case kFine:
      return "OK";
    case kBadRequest:
      return "Bad Request";
    case kNotFound:
      return "Not Found";
    case kNoSuchVerb:
      return "Method Not Allowed";
    case kLengthRequired:
      return "Length Required";
    case kTooLarge:
      return "Content Too Large";
    case kHeadTooLarge:
      return "Request Header Fields Too Large";
    case kNotImplemented:
      return "Not Implemented";
    case kFull:
      return "Insufficient Storage";
  }
  return "";
}

// 1.0, as Horovod's own server says: one request to a connection.
std::string response(Status status, std::string_view body = {}) {
  return fmt::format("HTTP/1.0 {} {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
                     static_cast<unsigned>(status), reason(status), body.size(), body);
}

std::size_t cost(const std::string& key, const std::string& value) {
  return key.size() + value.size();
}

}  // namespace

Limits limits_for(const Members& members) {
  constexpr std::size_t kAddressesMax = std::size_t{512} << 20;  // a job of 1000 ranks needs half
  constexpr std::size_t kForAll = std::size_t{2} << 20;
  constexpr std::size_t kForPair = std::size_t{2} << 10;
  std::size_t ranks = 1;
  for (const auto& [scope, size] : members) ranks = std::max<std::size_t>(ranks, size);
  return {1024 + 16 * ranks, kForAll + std::min(kAddressesMax, kForPair * ranks * ranks)};
}

std::optional<std::uint32_t> joined_by(const RequestReader& reader) {
  if (reader.state() != RequestReader::State::whole) return std::nullopt;
  const auto& [verb, scope, key, body] = reader.request();
  if (verb != Verb::put || scope != "global" || body.empty()) return std::nullopt;
  std::uint32_t rank = 0;
  const auto read = std::from_chars(key.data(), key.data() + key.size(), rank);
  if (read.ec != std::errc() || read.ptr != key.data() + key.size()) return std::nullopt;
  return rank;
}

std::string Store::answer(const RequestReader& reader) {
  if (reader.state() != RequestReader::State::whole) return response(reader.refusal());
  const Request& request = reader.request();
  switch (request.verb) {
    case Verb::get:
      return get(request);
    case Verb::put:
      return put(request);
    case Verb::remove:
      return remove(request);
  }
  return response(kNoSuchVerb);
}

std::string Store::get(const Request& request) const {
  const auto scope = scopes_.find(request.scope);
  if (scope == scopes_.end()) return response(kNotFound);
  const auto value = scope->second.values.find(request.key);
  if (value == scope->second.values.end()) return response(kNotFound);
  return response(kFine, value->second);
}

std::string Store::put(const Request& request) {
  const auto known = scopes_.find(request.scope);
  const bool is_new = known == scopes_.end() || !known->second.values.contains(request.key);
  const std::size_t more = cost(request.key, request.body);
  if ((is_new && keys_ == limits_.keys) || more > limits_.bytes - bytes_) return response(kFull);
  Scope& scope = scopes_[request.scope];
  forget(scope, request.key);
  scope.values[request.key] = request.body;
  ++keys_;
  bytes_ += cost(request.key, request.body);
  return response(kFine);
}

std::string Store::remove(const Request& request) {
  const auto found = scopes_.find(request.scope);
  if (found == scopes_.end()) return response(kFine);
  Scope& scope = found->second;
  const auto members = members_.find(request.scope);
  if (members == members_.end()) {
    forget(scope, request.key);
    if (scope.values.empty()) scopes_.erase(found);
    return response(kFine);
  }
  if (scope.finished.size() < members->second) scope.finished.insert(request.key);
  if (scope.finished.size() < members->second) return response(kFine);
  while (!scope.values.empty()) forget(scope, std::string(scope.values.begin()->first));
  scopes_.erase(found);
  return response(kFine);
}

void Store::forget(Scope& scope, const std::string& key) {
  const auto value = scope.values.find(key);
  if (value == scope.values.end()) return;
  bytes_ -= cost(value->first, value->second);
  --keys_;
  scope.values.erase(value);
}

}  // namespace muster::gloo
